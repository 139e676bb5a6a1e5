import { Button, type ButtonProps, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation } from '@tanstack/react-query';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { requireDone } from '../api/failure.ts';
import { type KeyCall, useKey } from '../api/read.ts';
import { usePerson } from '../api/session.ts';
import { done, failed } from './notices.ts';

/** Why a person cannot change anything; undefined for those who can. */
export function useReadOnly(): string | undefined {
  return usePerson()?.role === 'reader' ? 'Readers cannot change anything.' : undefined;
}

export type ActButtonProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that leads to a change: disabled for readers, with the reason. */
export function ActButton({ disabled = false, ...props }: ActButtonProps) {
  const reason = useReadOnly();
  const isDisabled = disabled || reason !== undefined;
  return <Button title={reason} {...props} disabled={isDisabled} />;
}

interface Question {
  title: string;
  /** The items that are deleted, by name, and whether they can be restored. */
  what: string;
  /** The verb of the button that confirms, unless it is the same. */
  act?: string;
}

interface ActProps extends ActButtonProps {
  /** Makes the change, on behalf of the API key of the page. */
  run: (call: KeyCall) => Promise<unknown>;
  /** Asked before anything is destroyed. */
  ask?: Question | false;
  /** Said when it was done. */
  said?: string;
  onDone?: () => void;
}

/** A button that makes a change. A failure is said with the message of the API. */
export function Act({ run, ask, said, onDone, ...props }: ActProps) {
  const { call } = useKey();
  const running = useMutation({
    mutationFn: async () => requireDone(await run(call)),
    onSuccess: () => {
      if (said) done(said);
      onDone?.();
    },
    onError: failed,
  });
  const start = () => running.mutate();
  return (
    <ActButton
      size="xs"
      variant={ask ? 'light' : 'default'}
      {...(ask && { color: 'red' })}
      {...props}
      loading={running.isPending}
      onClick={() => (ask ? confirm(ask, props.children, start) : start())}
    />
  );
}

function confirm({ title, what, act }: Question, button: ReactNode, onConfirm: () => void): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{what}</Text>,
    labels: { confirm: act ?? button, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm,
  });
}
