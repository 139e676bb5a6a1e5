import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { useKey } from '../../api/key.ts';
import { Failure } from '../../parts/failure.tsx';
import type { Field } from '../../parts/fields.tsx';
import { Fields } from '../../parts/form.tsx';
import { Section } from '../../parts/panel.tsx';
import { Note } from '../../parts/text.tsx';

/** Reads the page after a token. @returns how many items it had, and the token of the next page */
type ReadPage = (
  page: { pageToken?: string },
  signal: AbortSignal,
) => Promise<{ count: number; next: string | null | undefined }>;

interface ExportProps {
  title: string;
  about: string;
  /** The names of what is exported, all of which are needed. */
  fields: readonly Field[];
  /** Begins an export: how pages are read, and how the file is saved in the end. */
  begin: (values: Record<string, string>) => { read: ReadPage; save: () => void };
}

/** Reads something long page by page into a file, shows how far it is, and stops when asked or left. */
function Export({ title, about, fields, begin }: ExportProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [count, setCount] = useState(0);
  const stopping = useRef<AbortController>(undefined);
  const running = useMutation({
    mutationFn: async () => {
      const controller = new AbortController();
      stopping.current = controller;
      const { read, save } = begin(values);
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
      <Note>{about}</Note>
      <Group align="flex-end">
        <Fields
          fields={fields}
          values={values}
          onChange={(changes) => setValues({ ...values, ...(changes as typeof values) })}
          error={null}
        />
        {isPending ? (
          <Button variant="default" onClick={() => stopping.current?.abort()}>
            Stop
          </Button>
        ) : (
          <Button disabled={!fields.every(({ name }) => values[name])} onClick={() => mutate()}>
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
  const begin: ExportProps['begin'] = ({ organizationId = '' }) => {
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
      about="All records of an organization, one per line."
      fields={[{ name: 'organizationId', label: 'Organization of the log', kind: 'organization' }]}
      begin={begin}
    />
  );
}

/** Everything that belongs to a person in an organization, as one JSON file. */
export function ExportPerson() {
  const { apiKey } = useKey();
  const begin: ExportProps['begin'] = ({ organizationId = '', userId = '' }) => {
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
      fields={[
        { name: 'organizationId', label: 'Organization of the person', kind: 'organization' },
        { name: 'userId', label: 'Person to export', kind: 'user' },
      ]}
      begin={begin}
    />
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
