import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <Stack p="xl" gap="xs" align="flex-start">
      <Title order={1} size="h3">
        Page not found
      </Title>
      <Text c="dimmed">The link may be from another version of the console.</Text>
      <Anchor component={Link} to="/overview">
        Go to the overview
      </Anchor>
    </Stack>
  );
}
