import { Drawer, type DrawerProps, Group, Stack, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { cleared, type PageSearch, usePageSearch } from '../app/search.ts';
import { useDialogStack } from './dialogs.tsx';

interface PanelProps {
  /** The URL parameter that names the opened row. */
  parameter: keyof PageSearch;
  title: ReactNode;
  /** Other parameters that closing the panel clears. */
  clearedParameters?: readonly (keyof PageSearch)[];
  /** Shows the opened row. @param id the value of the parameter */
  children: (id: string, close: () => void) => ReactNode;
}

/** The details of an opened row, next to its list. Escape closes it. */
export function Panel({ parameter, title, clearedParameters = [], children }: PanelProps) {
  const [{ [parameter]: id }, changeSearch] = usePageSearch();
  const close = () => changeSearch(cleared([parameter, ...clearedParameters]));
  return (
    <SidePanel title={title} opened={id !== undefined} onClose={close}>
      {id !== undefined && <Fragment key={id}>{children(id, close)}</Fragment>}
    </SidePanel>
  );
}

/** Attributes for dialogs without a field: the title gets the focus, not the close button before it. */
export const FOCUSED_TITLE = { title: { tabIndex: -1, 'data-autofocus': true } };

type SidePanelProps = Pick<DrawerProps, 'title' | 'opened' | 'onClose' | 'children'>;

export function SidePanel({ children, ...props }: SidePanelProps) {
  const isOnTop = useDialogStack(props.opened);
  return (
    <Drawer
      {...props}
      closeOnEscape={isOnTop}
      position="right"
      size="lg"
      attributes={FOCUSED_TITLE}
    >
      <Stack gap="md">{props.opened && children}</Stack>
    </Drawer>
  );
}

type SectionProps = { title: ReactNode; id?: string; actions?: ReactNode; children: ReactNode };

export const Section = ({ title, id, actions, children }: SectionProps) => (
  <Stack component="section" gap="sm" id={id}>
    <Group justify="space-between">
      <Title>{title}</Title>
      {actions}
    </Group>
    {children}
  </Stack>
);
