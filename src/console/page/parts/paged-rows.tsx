import { Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import type { PagedList } from '../api/use-pages.ts';
import { Loaded } from './loaded.tsx';
import { Rows } from './rows.tsx';

type PagedRowsProps<Row> = Omit<ComponentProps<typeof Rows<Row>>, 'rows' | 'onEnd'> & {
  list: PagedList<Row>;
  /** Shown in place of an empty list. */
  empty: ReactNode;
};

/** A list that is read page after page while one scrolls. */
export function PagedRows<Row>({ list, empty, ...props }: PagedRowsProps<Row>) {
  return (
    <Loaded query={list.query}>
      {(rows) =>
        rows.length === 0 ? (
          empty
        ) : (
          <div>
            <Rows rows={rows} onEnd={list.readMore} {...props} />
            <Text size="xs" c="dimmed" mt={4} role="status">
              {rows.length.toLocaleString('en')} shown
              {list.hasMore ? '. Scroll for more' : ''}
            </Text>
          </div>
        )
      }
    </Loaded>
  );
}
