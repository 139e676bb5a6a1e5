import { Center, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** An empty list: what would stand here, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center py="xl" px="md">
      <Stack gap={6} align="center" maw={420} ta="center">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
      </Stack>
    </Center>
  );
}
