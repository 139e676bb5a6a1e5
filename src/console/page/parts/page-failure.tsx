import { Box } from '@mantine/core';
import { Failure } from './failure.tsx';

/** Shown in place of a page that cannot be rendered. */
export function PageFailure({ error, reset }: { error: unknown; reset?: () => void }) {
  return (
    <Box p="lg" maw={720}>
      <Failure error={error} {...(reset && { retry: reset })} />
    </Box>
  );
}
