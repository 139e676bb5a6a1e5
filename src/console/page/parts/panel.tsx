import { Drawer, type DrawerProps, Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { type PageSearch, usePageSearch } from '../app/search.ts';
import { Loaded, type LoadedProps } from './loaded.tsx';
import { Empty } from './text.tsx';

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
    <SidePanel title={title} opened={id !== undefined} onClose={close}>
      {id !== undefined && children(id, close)}
    </SidePanel>
  );
}

interface RowPanelProps<Row> extends Pick<PanelProps, 'of'> {
  /** The kind of the rows, such as `Endpoint`. */
  title: string;
  /** The name of the row, which replaces that of its kind. */
  nameOf?: (row: Row) => string;
  /** The list in which the row is looked for. */
  query: LoadedProps<Row[]>['query'];
  idOf: (row: Row) => string;
  children: (row: Row, close: () => void) => ReactNode;
}

/** The details of a row of a list that is read already. */
export function RowPanel<Row>(props: RowPanelProps<Row>) {
  const { of, title, nameOf, query, idOf, children } = props;
  const [{ [of]: opened }] = usePageSearch();
  const row = query.data?.find((each) => idOf(each) === opened);
  return (
    <Panel of={of} title={row && nameOf ? nameOf(row) : title}>
      {(id, close) => (
        <Loaded query={query}>
          {() =>
            row ? (
              children(row, close)
            ) : (
              <Empty title={`${title} ${id} not found`}>
                It was deleted, it belongs to another API key, or it is further down the list.
              </Empty>
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

type SidePanelProps = Pick<DrawerProps, 'title' | 'opened' | 'onClose' | 'children'>;

export function SidePanel({ children, ...props }: SidePanelProps) {
  return (
    <Drawer {...props} position="right" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack gap="md">{props.opened && children}</Stack>
    </Drawer>
  );
}

type SectionProps = { title: ReactNode; id?: string; actions?: ReactNode; children: ReactNode };

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
