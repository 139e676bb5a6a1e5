import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Section } from '../../parts/panel.tsx';

/** Reads the page after a token. @returns how many items it had, and the token of the next page */
type ReadPage = (
  page: { pageToken?: string },
  signal: AbortSignal,
) => Promise<{ count: number; next: string | null | undefined }>;

interface ExportProps {
  title: string;
  about: string;
  isReady: boolean;
  /** Begins an export: how pages are read, and how the file is saved in the end. */
  begin: () => { read: ReadPage; save: () => void };
  children: ReactNode;
}

/** Reads something long page by page into a file, shows how far it is, and stops when asked or left. */
function Export({ title, about, isReady, begin, children }: ExportProps) {
  const [count, setCount] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  const running = useMutation({
    mutationFn: async () => {
      const controller = new AbortController();
      stopping.current = controller;
      const { read, save } = begin();
      let total = 0;
      let pageToken: string | null | undefined;
      setCount(0);
      try {
        do {
          const page = await read(pageToken ? { pageToken } : {}, controller.signal);
          total += page.count;
          setCount(total);
          pageToken = page.next;
        } while (pageToken);
      } catch (error) {
        // The person who stopped it knows that.
        if (controller.signal.aborted) return false;
        throw error;
      }
      save();
      return true;
    },
  });
  useEffect(() => () => stopping.current?.abort(), []);
  const { isPending, data: isDone, error, mutate } = running;
  return (
    <Section title={title}>
      <Text size="sm" c="dimmed">
        {about}
      </Text>
      <Group align="flex-end">
        {children}
        {isPending ? (
          <Button variant="default" onClick={() => stopping.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button disabled={!isReady} onClick={() => mutate()}>
            Export
          </Button>
        )}
      </Group>
      {(isPending || isDone) && (
        <Text size="sm" role="status">
          {count.toLocaleString('en')} {isDone ? 'downloaded.' : 'read so far…'}
        </Text>
      )}
      {error && <Failure error={error} retry={() => mutate()} />}
    </Section>
  );
}

/** The activity log of an organization, as a file with a record a line. */
export function ExportActivities() {
  const { apiKey } = useKey();
  const [organizationId, setOrganizationId] = useState('');
  const begin = () => {
    const lines: string[] = [];
    const read: ReadPage = async (page, signal) => {
      const input = { organizationId, pageSize: 1000, ...page };
      const { data, nextPageToken } = await call(apiKey, 'activities.export', input, signal);
      lines.push(...data.map((record) => `${JSON.stringify(record)}\n`));
      return { count: data.length, next: nextPageToken };
    };
    const save = () =>
      saveFile(`activities-${organizationId}.ndjson`, lines, 'application/x-ndjson');
    return { read, save };
  };
  return (
    <Export
      title="Export activity log"
      about="All records of an organization, one a line."
      isReady={organizationId !== ''}
      begin={begin}
    >
      <EntryPicker
        kind="organization"
        label="Organization of the log"
        value={organizationId}
        onChange={setOrganizationId}
      />
    </Export>
  );
}

/** Everything that belongs to a person in an organization, as one JSON file. */
export function ExportPerson() {
  const { apiKey } = useKey();
  const [organizationId, setOrganizationId] = useState('');
  const [userId, setUserId] = useState('');
  const begin = () => {
    const found: Record<string, unknown[]> = {};
    const read: ReadPage = async (page, signal) => {
      const input = { organizationId, userId, ...page };
      const { data, nextPageToken } = await call(apiKey, 'userData.get', input, signal);
      for (const [kind, items] of Object.entries(data)) {
        found[kind] = [...(found[kind] ?? []), ...items];
      }
      const count = Object.values(data).reduce((sum, items) => sum + items.length, 0);
      return { count, next: nextPageToken };
    };
    const save = () => {
      const text = JSON.stringify({ organizationId, userId, ...found }, null, 2);
      saveFile(`user-${userId}-${organizationId}.json`, [text], 'application/json');
    };
    return { read, save };
  };
  return (
    <Export
      title="Export personal data"
      about="Comments, reactions, recordings, attachments and notifications of a user in an organization."
      isReady={organizationId !== '' && userId !== ''}
      begin={begin}
    >
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
    </Export>
  );
}

/** Gives a file to the browser, which saves it like a download. */
export function saveFile(name: string, parts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  URL.revokeObjectURL(url);
}
