import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useKey } from '../../api/key.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Failure } from '../../parts/failure.tsx';
import { saveFile } from './save-file.ts';
import { useExport } from './use-export.ts';

/** The activity log of an organization, as a file with a record a line. */
export function ExportActivities() {
  const { client } = useKey();
  const [organizationId, setOrganizationId] = useState('');
  const exporting = useExport(async (count, signal) => {
    const lines: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await client.activities.export(
        { organizationId, pageSize: 1000, ...(pageToken && { pageToken }) },
        { signal },
      );
      lines.push(...page.data.map((record) => `${JSON.stringify(record)}\n`));
      count(lines.length);
      pageToken = page.nextPageToken;
    } while (pageToken);
    saveFile(`activities-${organizationId}.ndjson`, lines, 'application/x-ndjson');
  });
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        Export activity log
      </Title>
      <Group align="flex-end">
        <EntryPicker
          kind="organization"
          label="Organization of the log"
          value={organizationId}
          onChange={setOrganizationId}
        />
        <ExportButton exporting={exporting} isReady={organizationId !== ''} />
        <CopyCurl operation="activities.export" input={{ organizationId }} />
      </Group>
      <Progress exporting={exporting} what="records" />
    </Stack>
  );
}

/** Everything that belongs to a person in an organization, as one JSON file. */
export function ExportPerson() {
  const { client } = useKey();
  const [organizationId, setOrganizationId] = useState('');
  const [userId, setUserId] = useState('');
  const exporting = useExport(async (count, signal) => {
    const found: Record<string, unknown[]> = {};
    let pageToken: string | undefined;
    do {
      const page = await client.userData.get(
        { organizationId, userId, ...(pageToken && { pageToken }) },
        { signal },
      );
      for (const [kind, items] of Object.entries(page.data)) {
        found[kind] = [...(found[kind] ?? []), ...items];
      }
      count(Object.values(found).reduce((sum, items) => sum + items.length, 0));
      pageToken = page.nextPageToken ?? undefined;
    } while (pageToken);
    const text = JSON.stringify({ organizationId, userId, ...found }, null, 2);
    saveFile(`user-${userId}-${organizationId}.json`, [text], 'application/json');
  });
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        Export personal data
      </Title>
      <Text size="sm" c="dimmed">
        Comments, reactions, recordings and notifications of a user in an organization.
      </Text>
      <Group align="flex-end">
        <EntryPicker
          kind="organization"
          label="Organization of the person"
          value={organizationId}
          onChange={setOrganizationId}
        />
        <EntryPicker
          kind="user"
          label="Person to export"
          organizationId={organizationId}
          value={userId}
          onChange={setUserId}
        />
        <ExportButton exporting={exporting} isReady={organizationId !== '' && userId !== ''} />
        <CopyCurl operation="userData.get" input={{ organizationId, userId }} />
      </Group>
      <Progress exporting={exporting} what="items" />
    </Stack>
  );
}

type Exporting = ReturnType<typeof useExport>;

function ExportButton({ exporting, isReady }: { exporting: Exporting; isReady: boolean }) {
  return exporting.isRunning ? (
    <Button variant="default" onClick={exporting.cancel}>
      Stop
    </Button>
  ) : (
    <Button disabled={!isReady} onClick={exporting.start}>
      Export
    </Button>
  );
}

function Progress({ exporting, what }: { exporting: Exporting; what: string }) {
  const { count, isRunning, isDone, error } = exporting;
  return (
    <>
      {(isRunning || isDone) && (
        <Text size="sm" role="status">
          {count.toLocaleString('en')} {what} {isDone ? 'downloaded.' : 'read so far…'}
        </Text>
      )}
      {error !== null && <Failure error={error} retry={exporting.start} />}
    </>
  );
}
