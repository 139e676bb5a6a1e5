import { Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ComponentPropsWithRef } from 'react';
import { requireSuccess } from '../api/failure.ts';
import { type KeyCall, usePageKey } from '../api/read.ts';
import { usePerson } from '../api/session.ts';
import { askToConfirm } from './dialogs.tsx';
import { showFailure, showSuccess } from './notices.ts';

/** Why the signed-in person cannot change anything; undefined for people who can. */
export const useReadOnlyReason = (): string | undefined =>
  usePerson()?.role === 'reader' ? 'Readers cannot change anything.' : undefined;

export type WriteButtonProps = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>;

/** A button that looks disabled and does nothing, but keeps the focus. */
const renderBusy = (props: ComponentPropsWithRef<'button'>) => (
  <button
    type="button"
    {...props}
    disabled={false}
    aria-disabled
    onClick={(event) => event.preventDefault()}
  />
);

/** Keeps the focus while it is loading: Mantine would disable it, and browsers take the focus from disabled buttons. */
export const LoadingButton = (props: WriteButtonProps) => (
  <Button {...props} {...(props.loading && { renderRoot: renderBusy })} />
);

/** A button that leads to a change: disabled for readers, with the reason. */
export function WriteButton({ disabled = false, ...props }: WriteButtonProps) {
  const reason = useReadOnlyReason();
  const isDisabled = disabled || reason !== undefined;
  return <LoadingButton title={reason} {...props} disabled={isDisabled} />;
}

export interface ActionButtonProps extends WriteButtonProps {
  label: string;
  /** Makes the change, on behalf of the API key of the page. */
  run: (call: KeyCall) => Promise<unknown>;
  /** Asked in a dialog before anything is destroyed. */
  question?: string | undefined;
  consequences?: string;
  /** The label of the dialog's confirm button; by default `label`. */
  confirmLabel?: string;
  /** The notice after success. */
  notice?: string;
  /** Called after success. */
  onDone?: () => void;
}

type Action = Pick<ActionButtonProps, 'run' | 'notice'>;

/** A button that makes a change. A notice reports a failure with the message of the API. */
export function ActionButton(allProps: ActionButtonProps) {
  const { label, run, question, consequences, confirmLabel, notice, onDone, ...props } = allProps;
  const { call } = usePageKey();
  const running = useMutation({
    mutationFn: async (action: Action) => {
      // Returns nothing: the response may contain a secret, which the mutation cache would keep.
      requireSuccess(await action.run(call));
    },
    onSuccess: (_, action) => {
      if (action.notice) showSuccess(action.notice);
      onDone?.();
    },
    onError: showFailure,
  });
  const start = async () => {
    // Read before the question is asked: props such as the rows of a live list may change in the meantime.
    const action = { run, notice };
    const texts = { consequences, confirmLabel: confirmLabel ?? label };
    const isSure = !question || (await askToConfirm({ question, ...texts }));
    if (isSure) running.mutate(action);
  };
  return (
    <WriteButton
      size="xs"
      variant={question ? 'light' : 'default'}
      {...(question && { color: 'red' })}
      {...props}
      loading={running.isPending}
      onClick={start}
    >
      {label}
    </WriteButton>
  );
}
