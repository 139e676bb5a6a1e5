import { Divider, Stack, Text } from '@mantine/core';
import { DeleteOrganization } from './delete-organization.tsx';
import { ErasePeople } from './erase-people.tsx';
import { ExportActivities, ExportPerson } from './exports.tsx';

/** Exports of data, and erasure. */
export function Data() {
  return (
    <Stack maw={760} gap="lg">
      <Text size="sm" c="dimmed">
        Export activity logs and personal data. To back up or restore everything, use the server
        command line.
      </Text>
      <ExportActivities />
      <Divider />
      <ExportPerson />
      <Divider />
      <ErasePeople />
      <Divider />
      <DeleteOrganization />
    </Stack>
  );
}
