import { Divider, Stack, Text } from '@mantine/core';
import { DeleteOrganization } from './delete-organization.tsx';
import { ErasePeople } from './erase-people.tsx';
import { ExportActivities, ExportPerson } from './exports.tsx';

/** Exports of data, and erasure. */
export function Data() {
  return (
    <Stack maw={760} gap="lg">
      <Text size="sm" c="dimmed">
        Activity logs and the data of a person are exported here. A whole organization cannot be
        exported or imported by itself; the command line of the server backs up and restores
        everything.
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
