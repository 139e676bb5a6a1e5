import { Button, type ButtonProps, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ComponentPropsWithoutRef, ReactNode } from 'react';
import { requireDone } from '../api/failure.ts';
import { sessionQuery } from '../api/session.ts';
import { done, failed } from './notices.ts';

/** Why a person cannot change anything; undefined for those who can. */
export function useReadOnly(): string | undefined {
  const { data } = useQuery(sessionQuery);
  return data?.signedIn?.role === 'reader' ? 'Readers cannot change anything.' : undefined;
}

export type ActButtonProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that leads to a change: disabled for readers, with the reason. */
export function ActButton({ disabled = false, ...props }: ActButtonProps) {
  const reason = useReadOnly();
  const isDisabled = disabled || reason !== undefined;
  return <Button {...props} disabled={isDisabled} {...(reason && { title: reason })} />;
}

interface Question {
  title: string;
  /** The items that are deleted, by name, and whether they can be restored. */
  what: ReactNode;
  /** The verb of the button that confirms, unless it is the same. */
  act?: string;
}

interface ActProps<Answer> extends ActButtonProps {
  /** Makes the change. */
  run: () => Promise<Answer>;
  /** Asked before anything is destroyed. */
  ask?: Question | undefined;
  /** Said when it was done. */
  said?: string | ((answer: Answer) => string);
  onDone?: (answer: Answer) => void;
}

/** A button that makes a change. A failure is said with the message of the API. */
export function Act<Answer>({ run, ask, said, onDone, ...props }: ActProps<Answer>) {
  const { children } = props;
  const running = useMutation({
    mutationFn: async () => requireDone(await run()),
    onSuccess: (answer: Answer) => {
      if (said) done(typeof said === 'function' ? said(answer) : said);
      onDone?.(answer);
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
      onClick={() => (ask ? confirm(ask, children, start) : start())}
    />
  );
}

function confirm({ title, what, act }: Question, button: ReactNode, onConfirm: () => void): void {
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {what}
      </Text>
    ),
    labels: { confirm: act ?? button, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm,
  });
}
