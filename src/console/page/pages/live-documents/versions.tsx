import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Version } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { ActButton } from '../../parts/act-button.tsx';
import { confirmDestruction } from '../../parts/confirm.tsx';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { done, failed } from '../../parts/notices.ts';
import { Time } from '../../parts/time.tsx';
import { Comparison } from './comparison.tsx';
import type { EditorPlace } from './inspected.ts';

interface VersionsProps {
  place: EditorPlace;
  /** The present version, which a comparison with the present content is about. */
  version: number;
}

/** The most characters of a version's name. */
const MAX_NAME = 200;

const named = ({ name, version }: Version): string => name ?? `Version ${version}`;

/** The stored versions of an editor, compared, restored and added. */
export function Versions({ place, version }: VersionsProps) {
  const { apiKey, client } = useKey();
  const queries = useQueryClient();
  const [{ from, to }, change] = usePageSearch();
  const [isAdding, setAdding] = useState(false);
  const key = ['live-documents', apiKey, 'versions', place];
  const list = usePages(key, (page, options) =>
    client.crdt.versions.list({ ...place, pageSize: 100, ...page }, options),
  );
  const renew = (message: string) => {
    done(message);
    void queries.invalidateQueries({ queryKey: ['live-documents', apiKey] });
  };
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Compare a version with the current content or with another version.
        </Text>
        <Group gap="xs">
          <CopyCurl operation="crdt.versions.list" input={place} />
          <ActButton size="compact-sm" onClick={() => setAdding(true)}>
            Save version
          </ActButton>
        </Group>
      </Group>
      <Loaded query={list.query}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty title="No versions yet">
              Save one before a large change, here or with crdt.versions.create, to compare and
              restore it later.
            </Empty>
          ) : (
            <>
              <VersionTable place={place} versions={versions} onRestored={renew} />
              {list.hasMore && (
                <Button variant="subtle" onClick={list.readMore}>
                  Load older versions
                </Button>
              )}
              {from && (
                <Comparison
                  place={place}
                  version={version}
                  from={from}
                  to={to}
                  choices={versions.map((each) => ({ value: each.versionId, label: named(each) }))}
                  onChange={(next) => change(next)}
                />
              )}
            </>
          )
        }
      </Loaded>
      {isAdding && (
        <FormDialog
          title="Save version"
          act="Save"
          fields={[{ name: 'name', label: 'Name', about: 'For example: Before the review' }]}
          submit={({ name }) => client.crdt.versions.create({ ...place, ...(name && { name }) })}
          onDone={() => {
            setAdding(false);
            renew('Version saved.');
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </Stack>
  );
}

interface VersionTableProps {
  place: EditorPlace;
  versions: Version[];
  onRestored: (message: string) => void;
}

function VersionTable({ place, versions, onRestored }: VersionTableProps) {
  const [{ from }, change] = usePageSearch();
  return (
    <Table.ScrollContainer minWidth={460}>
      <Table aria-label="Versions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Log version</Table.Th>
            <Table.Th>Saved</Table.Th>
            <Table.Th>By</Table.Th>
            <Table.Th>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {versions.map((version) => (
            <Table.Tr key={version.versionId} aria-selected={from === version.versionId}>
              <Table.Td>{named(version)}</Table.Td>
              <Table.Td>{version.version.toLocaleString('en')}</Table.Td>
              <Table.Td>
                <Time at={version.createdAt} />
              </Table.Td>
              <Table.Td>{version.createdBy ?? 'the API key'}</Table.Td>
              <Table.Td>
                <Group gap={6} wrap="nowrap">
                  <Button
                    size="compact-xs"
                    variant={from === version.versionId ? 'filled' : 'default'}
                    onClick={() => change({ from: version.versionId }, 'push')}
                  >
                    Compare
                  </Button>
                  <Restore place={place} version={version} onRestored={onRestored} />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface RestoreProps {
  place: EditorPlace;
  version: Version;
  onRestored: (message: string) => void;
}

function Restore({ place, version, onRestored }: RestoreProps) {
  const { client } = useKey();
  const { versionId } = version;
  const restoring = useMutation({
    mutationFn: async () => {
      const name = `Before restoring ${named(version)}`.slice(0, MAX_NAME);
      await client.crdt.versions.create({ ...place, name });
      await client.crdt.versions.restore({ ...place, versionId });
    },
    onSuccess: () =>
      onRestored(`${named(version)} restored. What was there is saved as a version.`),
    onError: failed,
  });
  const ask = () =>
    confirmDestruction({
      title: `Restore “${named(version)}”?`,
      what: `The present content of ${place.editorId} in ${place.documentId} is saved as a version, and then replaced, also for those who have it open.`,
      act: 'Restore',
      onConfirm: () => restoring.mutate(),
    });
  return (
    <ActButton size="compact-xs" variant="default" loading={restoring.isPending} onClick={ask}>
      Restore
    </ActButton>
  );
}
