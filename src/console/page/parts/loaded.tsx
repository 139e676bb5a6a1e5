import { Alert, Box, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toCollaborationError } from '../../../client/error.ts';
import type { LoadedQuery } from '../api/read.ts';
import { Icon } from './icon.tsx';
import { CopyText, Empty, Note } from './text.tsx';

export interface LoadedProps<Data> {
  query: LoadedQuery<Data>;
  children: (data: NonNullable<Data>) => ReactNode;
  /** The name of a resource that may not exist; the answer is then null. */
  missing?: string;
  /** How many grey lines are shown while it is loading. */
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

/** A failed call: the API's message, its issues with fields, and the id for support. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, issues, requestId, status } = toCollaborationError(error);
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

/** Shown in place of a page that cannot be loaded or rendered. */
export function PageFailure({ error }: { error: unknown }) {
  const router = useRouter();
  return (
    <Box p="lg" maw={720}>
      <Failure error={error} retry={() => void router.invalidate()} />
    </Box>
  );
}
