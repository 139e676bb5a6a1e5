import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface Question {
  title: string;
  /** The items that are deleted, by name, and whether they can be restored. */
  what: ReactNode;
  /** The verb of the button, such as `Delete`. */
  act: string;
  onConfirm: () => void;
}

/** Asks before anything is destroyed. */
export const confirmDestruction = ({ title, what, act, onConfirm }: Question): void =>
  void modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {what}
      </Text>
    ),
    labels: { confirm: act, cancel: 'Cancel' },
    confirmProps: { color: 'red' },
    onConfirm,
  });
