import { Drawer, Stack } from '@mantine/core';
import type { ReactNode } from 'react';

interface SidePanelProps {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The details of an opened row, beside its list. Escape closes it. */
export function SidePanel({ title, isOpen, onClose, children }: SidePanelProps) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size="lg"
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">{isOpen && children}</Stack>
    </Drawer>
  );
}
