import { Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useRef } from 'react';
import type { PageSearch } from '../app/page-search.ts';
import { SearchLink } from './search-link.tsx';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => ReactNode;
  /** A CSS width, such as `12rem`; the others share what is left. */
  width?: string;
  /** Whether narrow screens show it. */
  onPhones?: boolean;
}

interface RowsProps<Row> {
  /** The name of the rows, for screen readers. */
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The first one names a row, and is its link. */
  columns: ReadonlyArray<Column<Row>>;
  /** The search parameters of the page once a row is opened, since rows are links. */
  opens?: (row: Row) => PageSearch;
  isOpen?: (row: Row) => boolean;
  /** Reads more rows when the last one comes into sight. */
  onEnd?: () => void;
  /** In pixels. */
  height?: number;
}

const ROW_PX = 44;

/** A list of any length: only the rows in sight exist in the page. */
export function Rows<Row>({
  label,
  rows,
  keyOf,
  columns,
  opens,
  isOpen,
  onEnd,
  height = 560,
}: RowsProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    // Rows are drawn between frames, and not within the handler of the scrolling.
    useFlushSync: false,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && last >= rows.length - 1) onEnd();
  }, [onEnd, last, rows.length]);
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <section
      ref={scroller}
      className="console-rows"
      style={{ maxHeight: height }}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
      tabIndex={0}
    >
      <Table stickyHeader layout="fixed" aria-rowcount={rows.length}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th
                key={column.head}
                w={column.width}
                {...(column.onPhones === false && { visibleFrom: 'sm' })}
              >
                {column.head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Spacer height={above} />
          {shown.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <OneRow
                key={keyOf(row)}
                row={row}
                index={index}
                columns={columns}
                isOpen={isOpen?.(row) ?? false}
                opens={opens}
              />
            );
          })}
          <Spacer height={below} />
        </Table.Tbody>
      </Table>
    </section>
  );
}

interface OneRowProps<Row> {
  row: Row;
  index: number;
  columns: ReadonlyArray<Column<Row>>;
  isOpen: boolean;
  opens: ((row: Row) => PageSearch) | undefined;
}

/** While one scrolls, rows that stay in sight are not drawn again. */
const OneRow = memo(DrawnRow) as typeof DrawnRow;

/** Plain elements: those of Mantine take too long for lists in which all rows change each frame. */
function DrawnRow<Row>({ row, index, columns, isOpen, opens }: OneRowProps<Row>) {
  return (
    <tr
      className={opens && 'console-row'}
      style={{ height: ROW_PX }}
      aria-rowindex={index + 1}
      data-open={isOpen || undefined}
    >
      {columns.map(({ head, cell, onPhones }, at) => (
        <td key={head} className={onPhones === false ? NOT_ON_PHONES : 'console-cell'}>
          {at === 0 && opens ? (
            <SearchLink changes={opens(row)} className="console-row-link">
              {cell(row)}
            </SearchLink>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

const NOT_ON_PHONES = 'console-cell mantine-visible-from-sm';

/** Stands for the rows out of sight. One cell is enough: more would widen narrow screens' tables. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
