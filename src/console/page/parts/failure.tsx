import { Alert, Box, Button, Group, Text } from '@mantine/core';
import { failureOf } from '../api/failure.ts';
import { Icon } from './icon.tsx';
import { CopyText, Note } from './text.tsx';

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
