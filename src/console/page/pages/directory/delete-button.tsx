import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { failed } from '../../parts/notices.ts';

interface DeleteButtonProps {
  /** What is asked, such as `Delete the document Launch plan?` */
  title: string;
  what: ReactNode;
  act: string;
  remove: () => Promise<unknown>;
  onDone: () => void;
}

/** Destroys something, after it has asked. */
export function DeleteButton({ title, what, act, remove, onDone }: DeleteButtonProps) {
  const deleting = useMutation({ mutationFn: remove, onSuccess: onDone, onError: failed });
  return (
    <ActButton
      size="xs"
      color="red"
      variant="light"
      loading={deleting.isPending}
      onClick={() => confirmDestruction({ title, what, act, onConfirm: () => deleting.mutate() })}
    >
      {act}
    </ActButton>
  );
}
