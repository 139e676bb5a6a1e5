import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ComponentPropsWithRef } from 'react';
import { requireSuccess } from '../api/failure.ts';
import { type KeyCall, useKey } from '../api/read.ts';
import { usePerson } from '../api/session.ts';
import { askFirst, type Question, showFailure, showSuccess } from './notices.tsx';

/** Why a person cannot change anything; undefined for those who can. */
export function useReadOnly(): string | undefined {
  return usePerson()?.role === 'reader' ? 'Readers cannot change anything.' : undefined;
}

export type WriteButtonProps = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>;

const renderBusy = (props: ComponentPropsWithRef<'button'>) => (
  <button
    type="button"
    {...props}
    disabled={false}
    aria-disabled
    onClick={(event) => event.preventDefault()}
  />
);

/** Keeps the focus while it is loading. Browsers take the focus from disabled buttons, as Mantine's are then. */
export const LoadingButton = (props: WriteButtonProps) => (
  <Button {...props} {...(props.loading && { renderRoot: renderBusy })} />
);

/** A button that leads to a change: disabled for readers, with the reason. */
export function WriteButton({ disabled = false, ...props }: WriteButtonProps) {
  const reason = useReadOnly();
  const isDisabled = disabled || reason !== undefined;
  return <LoadingButton title={reason} {...props} disabled={isDisabled} />;
}

export interface ActionButtonProps extends WriteButtonProps {
  /** Makes the change, on behalf of the API key of the page. */
  run: (call: KeyCall) => Promise<unknown>;
  /** The question before anything is destroyed. By default, its button has the label of this one. */
  confirm?: (Omit<Question, 'label'> & Partial<Question>) | false;
  /** The notice after success. */
  notice?: string;
  onDone?: () => void;
}

type Action = Pick<ActionButtonProps, 'run' | 'notice'>;

/** A button that makes a change. A notice reports a failure with the message of the API. */
export function ActionButton({ run, confirm, notice, onDone, ...props }: ActionButtonProps) {
  const { call } = useKey();
  const running = useMutation({
    mutationFn: async (action: Action) => {
      // The answer may have a secret, which must not stay in memory.
      requireSuccess(await action.run(call));
    },
    onSuccess: (_, action) => {
      if (action.notice) showSuccess(action.notice);
      onDone?.();
    },
    onError: showFailure,
  });
  const start = async () => {
    // Props may change while the person reads the question, such as the rows of a live list.
    const action = { run, notice };
    const isSure = !confirm || (await askFirst({ label: props.children, ...confirm }));
    if (isSure) running.mutate(action);
  };
  return (
    <WriteButton
      size="xs"
      variant={confirm ? 'light' : 'default'}
      {...(confirm && { color: 'red' })}
      {...props}
      loading={running.isPending}
      onClick={start}
    />
  );
}
