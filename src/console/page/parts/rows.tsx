import { Button, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useRef } from 'react';
import type { PagedList } from '../api/read.ts';
import { type PageSearch, usePageSearch, withoutEmpty } from '../app/search.ts';
import { Empty, Loaded, Note } from './basics.tsx';
import { Panel } from './panel.tsx';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** A CSS width, such as `12rem`; the others share what is left. */
  width?: string;
  /** Whether phones leave the column out. */
  wideOnly?: boolean;
  /** Whether the column holds ids, which are written like code. */
  isId?: boolean;
}

/** The properties of a column that has this width, and that phones leave out. */
export const onWide = (width: string) => ({ width, wideOnly: true });

interface TableProps<Row> {
  /** The name of the rows, for screen readers. */
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The cell of the first column names the row, and is its link. */
  columns: ReadonlyArray<Column<Row>>;
}

interface RowPanel<Row> {
  /** The parameter of the address that names the opened row by its key. */
  parameter: keyof PageSearch;
  /** The kind of the rows, such as `Endpoint`. */
  title: string;
  /** The name of the opened row, which replaces `title`. */
  nameOf?: (row: Row) => string;
  show: (row: Row, close: () => void) => ReactNode;
}

interface RowsProps<Row> extends TableProps<Row> {
  /** Shown in place of an empty list: what is missing, and what to do next. */
  emptyTitle?: string | undefined;
  emptyText?: ReactNode;
  /** Shows an opened row next to the list. */
  panel?: RowPanel<Row>;
  /** Makes rows links. Returns the parameters that a row puts into the address; by default that of the panel. */
  opens?: ((row: Row) => PageSearch) | undefined;
  /** Reads more rows when the last one comes into sight. */
  onEnd?: () => void;
}

/** A list of any length, and the row that is open. */
export function Rows<Row>(props: RowsProps<Row>) {
  const { rows, keyOf, emptyTitle, emptyText, panel } = props;
  const { opens = panel && ((row: Row) => ({ [panel.parameter]: keyOf(row) })) } = props;
  return (
    <>
      {rows.length === 0 && emptyTitle ? (
        <Empty title={emptyTitle}>{emptyText}</Empty>
      ) : (
        <LongTable {...props} opens={opens} />
      )}
      {panel && <OpenedRow rows={rows} keyOf={keyOf} {...panel} />}
    </>
  );
}

type OpenedRowProps<Row> = RowPanel<Row> & Pick<TableProps<Row>, 'rows' | 'keyOf'>;

function OpenedRow<Row>({ rows, keyOf, parameter, title, nameOf, show }: OpenedRowProps<Row>) {
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

const ROW_PX = 44;
const HEIGHT_PX = 560;

/** A table that renders only the rows in sight. */
function LongTable<Row>({ label, rows, keyOf, columns, opens, onEnd }: RowsProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    // Rows are drawn between frames, not inside the scroll handler.
    useFlushSync: false,
  });
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && last >= rows.length - 1) onEnd();
  }, [onEnd, last, rows.length]);
  const above = shown[0]?.start ?? 0;
  const below = virtualizer.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <section
      ref={scroller}
      className="console-rows"
      style={{ maxHeight: HEIGHT_PX }}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
      tabIndex={0}
    >
      <Table stickyHeader layout="fixed" aria-rowcount={rows.length + 1}>
        <Heads columns={columns} />
        <Table.Tbody>
          <Spacer height={above} />
          {shown.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <OneRow key={keyOf(row)} row={row} index={index} columns={columns} opens={opens} />
            );
          })}
          <Spacer height={below} />
        </Table.Tbody>
      </Table>
    </section>
  );
}

const Heads = <Row,>({ columns }: Pick<TableProps<Row>, 'columns'>) => (
  <Table.Thead>
    <Table.Tr>
      {columns.map(({ head, width, wideOnly }) => (
        <Table.Th key={head} w={width} visibleFrom={wideOnly ? 'sm' : undefined}>
          {head}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
);

interface OneRowProps<Row> extends Pick<RowsProps<Row>, 'columns' | 'opens'> {
  row: Row;
  index: number;
}

/** During scrolling, rows that stay in sight are not drawn again. */
const OneRow = memo(DrawnRow) as typeof DrawnRow;

/** A row of plain elements, since Mantine's elements are too slow for rows that change during scrolling. */
function DrawnRow<Row>({ row, index, columns, opens }: OneRowProps<Row>) {
  return (
    <tr
      className={opens && 'console-row'}
      style={{ height: ROW_PX }}
      // The head is the first row.
      aria-rowindex={index + 2}
    >
      {columns.map((column, at) => (
        <td key={column.head} className={column.wideOnly ? NOT_ON_PHONES : 'console-cell'}>
          {at === 0 && opens ? (
            <Link
              className="console-row-link"
              to="."
              search={(current: PageSearch) => withoutEmpty({ ...current, ...opens(row) })}
              preload={false}
              activeOptions={{ exact: true }}
            >
              {contentOf(column, row)}
            </Link>
          ) : (
            contentOf(column, row)
          )}
        </td>
      ))}
    </tr>
  );
}

const contentOf = <Row,>({ cell, isId }: Column<Row>, row: Row): ReactNode =>
  isId ? <span className="console-mono">{cell(row)}</span> : cell(row);

const NOT_ON_PHONES = 'console-cell mantine-visible-from-sm';

/** Takes the space of the rows that are out of sight. It has one cell: more would widen the table on narrow screens. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

interface PagedRowsProps<Row> extends Omit<RowsProps<Row>, 'rows' | 'onEnd'> {
  list: PagedList<Row>;
  /** Whether filters are set. If so, an empty list shows `NO_MATCHES` in place of the given texts. */
  isFiltered?: boolean;
}

const NO_MATCHES = {
  emptyTitle: 'Nothing found',
  emptyText: 'No entry matches the filters. Change or remove one of them.',
};

/** A list that is read page after page as the person scrolls. */
export function PagedRows<Row>({ list, isFiltered, ...props }: PagedRowsProps<Row>) {
  const { query, hasMore, isPaused, readMore, restart } = list;
  return (
    <Loaded query={query} lines={8}>
      {(rows) => (
        <div>
          <Rows
            rows={rows}
            onEnd={readMore}
            {...props}
            {...(isFiltered && NO_MATCHES)}
            {...(hasMore && { emptyTitle: undefined })}
          />
          {(rows.length > 0 || hasMore) && (
            <Group gap="xs" mt={4}>
              <Text size="xs" c="dimmed" role="status">
                {`${rows.length.toLocaleString('en')} shown. `}
                {hasMore && (rows.length > 0 ? 'Scroll for more. ' : 'Searching older entries. ')}
                {isPaused && 'Live updates are paused.'}
              </Text>
              {isPaused && (
                <Button variant="light" size="compact-xs" onClick={restart}>
                  Back to the newest
                </Button>
              )}
            </Group>
          )}
        </div>
      )}
    </Loaded>
  );
}

interface ShortTableProps<Row> extends TableProps<Row> {
  /** The minimum width in pixels. Narrower screens scroll the table. */
  minWidth?: number;
  /** Shown in place of an empty table. */
  emptyText?: string;
}

/** A short table, which renders all of its rows. */
export const ShortTable = <Row,>(props: ShortTableProps<Row>) => {
  const { label, rows, keyOf, columns, minWidth = 420, emptyText } = props;
  if (emptyText !== undefined && rows.length === 0) return <Note>{emptyText}</Note>;
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <Table>
        <Heads columns={columns} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td key={column.head} visibleFrom={column.wideOnly ? 'sm' : undefined}>
                  {contentOf(column, row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
};
