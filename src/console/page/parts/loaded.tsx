import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { Empty } from './text.tsx';

export interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isPending' | 'refetch'>;
  /** Shows what was read. */
  children: (data: NonNullable<Data>) => ReactNode;
  /** The name of what may not exist, for which the answer is null. */
  missing?: string;
  /** How many grey lines stand for it meanwhile. */
  lines?: number;
}

/** Shows the data of a query, its loading, or its failure. Old data stays while it fails. */
export function Loaded<Data>({ query, children, missing, lines = 4 }: LoadedProps<Data>) {
  const { data, error, isPending, refetch } = query;
  return (
    <>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data === null && (
        <Empty title={`${missing} not found`}>
          It was deleted, or it belongs to another API key.
        </Empty>
      )}
      {data !== undefined && data !== null && children(data)}
      {isPending && !error && (
        <Stack gap="xs" role="status" aria-label="Loading">
          {Array.from({ length: lines }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
            <Skeleton height={22} radius="sm" key={line} />
          ))}
        </Stack>
      )}
    </>
  );
}
