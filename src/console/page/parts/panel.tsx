import { Drawer, type DrawerProps, Group, Stack, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { type PageSearch, usePageSearch } from '../app/search.ts';
import { Empty } from './basics.tsx';
import { useIsOnTop } from './notices.tsx';

interface PanelProps {
  /** The parameter of the address that names the opened row. */
  parameter: keyof PageSearch;
  title: ReactNode;
  /** Other parameters that closing the panel clears. */
  clearedParameters?: readonly (keyof PageSearch)[];
  /** Shows the opened row, by its name in the address. */
  children: (id: string, close: () => void) => ReactNode;
}

/** The details of an opened row, next to its list. Escape closes it. */
export function Panel({ parameter, title, clearedParameters = [], children }: PanelProps) {
  const [{ [parameter]: id }, change] = usePageSearch();
  const close = () =>
    change(Object.fromEntries([parameter, ...clearedParameters].map((name) => [name, undefined])));
  return (
    <SidePanel title={title} opened={id !== undefined} onClose={close}>
      {id !== undefined && <Fragment key={id}>{children(id, close)}</Fragment>}
    </SidePanel>
  );
}

export interface RowPanelProps<Row> extends Pick<PanelProps, 'parameter'> {
  /** The kind of the rows, such as `Endpoint`. */
  title: string;
  /** The name of the row, which replaces that of its kind. */
  nameOf?: (row: Row) => string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  show: (row: Row, close: () => void) => ReactNode;
}

/** The details of a row of a list. */
export function RowPanel<Row>(props: RowPanelProps<Row>) {
  const { parameter, title, nameOf, rows, keyOf, show } = props;
  const [{ [parameter]: opened }] = usePageSearch();
  const row = rows.find((each) => keyOf(each) === opened);
  return (
    <Panel parameter={parameter} title={row && nameOf ? nameOf(row) : title}>
      {(id, close) =>
        row ? (
          show(row, close)
        ) : (
          <Empty title={`${title} ${id} not found`}>
            It was deleted, it is further down the list, or it belongs to another API key or
            workspace.
          </Empty>
        )
      }
    </Panel>
  );
}

/** For dialogs without a field: the title takes the focus, not the close button before it. */
export const FOCUSED_TITLE = { title: { tabIndex: -1, 'data-autofocus': true } };

type SidePanelProps = Pick<DrawerProps, 'title' | 'opened' | 'onClose' | 'children'>;

export function SidePanel({ children, ...props }: SidePanelProps) {
  const isOnTop = useIsOnTop(props.opened);
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
      <Title order={2} size="h5">
        {title}
      </Title>
      {actions}
    </Group>
    {children}
  </Stack>
);
