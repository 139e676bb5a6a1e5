import { Button, type ButtonProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ComponentPropsWithoutRef } from 'react';
import { sessionQuery } from '../api/session.ts';

/** Why a person cannot change anything; undefined for those who can. */
export function useReadOnly(): string | undefined {
  const { data } = useQuery(sessionQuery);
  return data?.signedIn?.role === 'reader' ? 'Readers cannot change anything.' : undefined;
}

type ActButtonProps = ButtonProps & Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps>;

/** A button that leads to a change: disabled for readers, with the reason. */
export function ActButton({ disabled = false, ...props }: ActButtonProps) {
  const reason = useReadOnly();
  const isDisabled = disabled || reason !== undefined;
  return <Button {...props} disabled={isDisabled} {...(reason && { title: reason })} />;
}
