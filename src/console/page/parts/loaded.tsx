import { Alert, Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { failureOf } from '../api/failure.ts';
import { Icon } from './icon.tsx';
import { CopyText, Empty, Note } from './text.tsx';

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

/** A failed call: the API's message, what it says of the fields, and the id for support. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, issues, requestId, status } = failureOf(error);
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={message} role="alert">
      {issues.map(({ path, message: problem }) => (
        <Text size="sm" key={`${path} ${problem}`}>
          {path}: {problem}
        </Text>
      ))}
      <Group gap="xs" mt={4}>
        <Note size="xs">{status}</Note>
        {requestId && (
          <>
            <Note size="xs">request</Note>
            <CopyText text={requestId} />
          </>
        )}
        {retry && (
          <Button size="compact-xs" variant="light" color="red" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Shown in place of a page that cannot be rendered. */
export const PageFailure = ({ error, reset }: { error: unknown; reset?: () => void }) => (
  <Box p="lg" maw={720}>
    <Failure error={error} {...(reset && { retry: reset })} />
  </Box>
);
