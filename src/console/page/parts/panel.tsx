import { Drawer, Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { type PageSearch, usePageSearch } from '../app/search.ts';

interface PanelProps {
  /** The parameter of the address that names what is open. */
  of: keyof PageSearch;
  title: ReactNode;
  /** Parameters that end with it. */
  ending?: readonly (keyof PageSearch)[];
  /** Shows what is open, by its name in the address. */
  children: (id: string, close: () => void) => ReactNode;
}

/** The details of an opened row, beside its list. Escape closes it. */
export function Panel({ of, title, ending = [], children }: PanelProps) {
  const [{ [of]: id }, change] = usePageSearch();
  const close = () =>
    change(Object.fromEntries([of, ...ending].map((name) => [name, undefined])) as PageSearch);
  return (
    <SidePanel title={title} isOpen={id !== undefined} onClose={close}>
      {id !== undefined && children(id, close)}
    </SidePanel>
  );
}

interface SidePanelProps {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

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

interface SectionProps {
  title: ReactNode;
  id?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page or panel with a heading. */
export const Section = ({ title, id, actions, children }: SectionProps) => (
  <Stack component="section" gap="sm" id={id}>
    <Group justify="space-between">
      <Title order={2} size="h5">
        {title}
      </Title>
      {actions}
    </Group>
    {children}
  </Stack>
);
