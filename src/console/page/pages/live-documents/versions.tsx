import { Button, Group, Stack } from '@mantine/core';
import type { Version } from '../../../../client/index.ts';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty, Loaded, Note, Time } from '../../parts/basics.tsx';
import { FormButton } from '../../parts/form.tsx';
import { ShortTable } from '../../parts/rows.tsx';
import { Comparison, type EditorPlace } from './comparison.tsx';

interface VersionsProps {
  place: EditorPlace;
  /** The version of the current content. A comparison with it is loaded again when this changes. */
  version: number;
}

const labelOf = ({ name, version }: Version): string => name ?? `Version ${version}`;

/** The stored versions of an editor, compared, restored and added. */
export function Versions({ place, version }: VersionsProps) {
  const [{ from, to }] = usePageSearch();
  const list = usePages('crdt.versions.list', { ...place, pageSize: 100 });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Note>Compare a version with the current content or with another version.</Note>
        <Group gap="xs">
          <FormButton
            submitLabel="Restore"
            fields={[
              {
                name: 'at',
                label: 'Time',
                description:
                  'The current content is saved as a version, and then replaced for everyone.',
                kind: 'datetime-local',
                required: true,
              },
            ]}
            submit={(call, { at }: { at: string }) =>
              call('crdt.versions.restore', { ...place, at: new Date(at).getTime() })
            }
            notice="Restored. The previous content was saved as a version."
          >
            Restore to a moment
          </FormButton>
          <FormButton
            submitLabel="Save"
            fields={[
              { name: 'name', label: 'Name', description: 'For example: Before the review' },
            ]}
            submit={(call, _, changes) => call('crdt.versions.create', { ...place, ...changes })}
            notice="Version saved."
          >
            Save version
          </FormButton>
        </Group>
      </Group>
      <Loaded query={list.query}>
        {(versions) =>
          versions.length === 0 ? (
            <Empty title="No versions yet">
              Save a version before a large change, here or with crdt.versions.create. You can
              compare and restore the version later.
            </Empty>
          ) : (
            <>
              <VersionTable place={place} versions={versions} />
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
                  choices={versions.map((one) => ({ value: one.versionId, label: labelOf(one) }))}
                />
              )}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}

function VersionTable({ place, versions }: { place: EditorPlace; versions: Version[] }) {
  const [{ from }, change] = usePageSearch();
  return (
    <ShortTable
      label="Versions"
      rows={versions}
      keyOf={({ versionId }) => versionId}
      minWidth={300}
      columns={[
        { head: 'Name', cell: labelOf },
        {
          head: 'Version',
          cell: (version) => version.version.toLocaleString('en'),
          wideOnly: true,
        },
        { head: 'Saved', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { head: 'By', cell: ({ createdBy }) => createdBy ?? 'the API key', wideOnly: true },
        {
          head: 'Actions',
          cell: (version) => (
            <Group gap={6} wrap="nowrap">
              <Button
                size="compact-xs"
                variant={from === version.versionId ? 'filled' : 'default'}
                onClick={() => change({ from: version.versionId }, 'push')}
              >
                Compare
              </Button>
              <ActionButton
                size="compact-xs"
                variant="default"
                color="gray"
                run={(call) =>
                  call('crdt.versions.restore', { ...place, versionId: version.versionId })
                }
                notice={`${labelOf(version)} restored. The previous content was saved as a version.`}
                question={`Restore “${labelOf(version)}”?`}
                consequences={`The current content of ${place.editorId} in ${place.documentId} is saved as a version, and then replaced, also for everyone who has it open.`}
              >
                Restore
              </ActionButton>
            </Group>
          ),
        },
      ]}
    />
  );
}
