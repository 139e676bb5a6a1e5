import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { Version } from '../../../../client/index.ts';
import type { InputOf, OutputOf } from '../../api/client.ts';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty, Loaded, Note, Time } from '../../parts/basics.tsx';
import { Filters } from '../../parts/filters.tsx';
import { FormButton } from '../../parts/form.tsx';
import { ShortTable } from '../../parts/rows.tsx';

export type EditorRef = InputOf<'console.liveDocuments.inspect'> & { editorId: string };

interface VersionsProps {
  editorRef: EditorRef;
  /** The version of the current content. When it changes, a comparison with the current content is loaded again. */
  version: number;
}

const labelOf = ({ name, version }: Version): string => name ?? `Version ${version}`;

/** The saved versions of an editor, with buttons to save, compare and restore them. */
export function Versions({ editorRef, version }: VersionsProps) {
  const [{ from, to }] = usePageSearch();
  const list = usePages('crdt.versions.list', { ...editorRef, pageSize: 100 });
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Note>Compare a version with the current content or with another version.</Note>
        <Group gap="xs">
          <FormButton
            label="Restore to a point in time"
            submitLabel="Restore"
            fields={{
              name: 'at',
              label: 'Time',
              description:
                'The current content is saved as a version, and then replaced for everyone.',
              kind: 'datetime-local',
              required: true,
            }}
            submit={(call, { at }: { at: string }) =>
              call('crdt.versions.restore', { ...editorRef, at: new Date(at).getTime() })
            }
            notice="Restored. The previous content was saved as a version."
          />
          <FormButton
            label="Save version"
            fields={{ name: 'name', label: 'Name', description: 'For example: Before the review' }}
            submit={(call, _, changes) =>
              call('crdt.versions.create', { ...editorRef, ...changes })
            }
            notice="Version saved."
          />
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
              <VersionTable editorRef={editorRef} versions={versions} />
              {list.hasMore && (
                <Button variant="subtle" onClick={list.readMore}>
                  Load older versions
                </Button>
              )}
              {from && (
                <Comparison
                  editorRef={editorRef}
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

function VersionTable({ editorRef, versions }: { editorRef: EditorRef; versions: Version[] }) {
  const [{ from }, changeSearch] = usePageSearch();
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
          cell: ({ version }) => version.toLocaleString('en'),
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
                onClick={() => changeSearch({ from: version.versionId }, 'push')}
              >
                Compare
              </Button>
              <ActionButton
                label="Restore"
                size="compact-xs"
                variant="default"
                color="gray"
                run={(call) =>
                  call('crdt.versions.restore', { ...editorRef, versionId: version.versionId })
                }
                notice={`${labelOf(version)} restored. The previous content was saved as a version.`}
                question={`Restore “${labelOf(version)}”?`}
                consequences={`The current content of ${editorRef.editorId} in ${editorRef.documentId} is saved as a version, and then replaced, also for everyone who has it open.`}
              />
            </Group>
          ),
        },
      ]}
    />
  );
}

/** How much of a long unchanged text is shown next to each change. */
const CONTEXT_LENGTH = 240;

interface ComparisonProps extends VersionsProps {
  from: string;
  to: string | undefined;
  choices: Array<{ value: string; label: string }>;
}

/** The text that was removed and added between two versions, or up to the current content. */
function Comparison({ editorRef, version, from, to, choices }: ComparisonProps) {
  const input = { ...editorRef, from, to };
  const query = useRead('console.liveDocuments.compare', input, {
    keepsPrevious: true,
    version: to ? undefined : version,
  });
  return (
    <Stack gap="sm">
      <Title order={3}>Difference</Title>
      <Filters
        filters={[
          { name: 'from', label: 'From', options: choices, initial: from, required: true },
          { name: 'to', label: 'To', options: choices, placeholder: 'Current content' },
        ]}
      />
      <Loaded query={query}>{({ parts }) => <Parts parts={parts} />}</Loaded>
    </Stack>
  );
}

type Part = OutputOf<'console.liveDocuments.compare'>['parts'][number];

function Parts({ parts }: { parts: readonly Part[] }) {
  const lengthOf = (kind: Part['kind']) =>
    parts.reduce((sum, part) => sum + (part.kind === kind ? part.text.length : 0), 0);
  const removed = lengthOf('removed');
  const added = lengthOf('added');
  return (
    <>
      <Text role="status">
        {removed + added === 0
          ? 'No differences.'
          : `${added.toLocaleString('en')} characters added, ${removed.toLocaleString('en')} removed.`}
      </Text>
      <section
        className="console-code"
        style={{ fontSize: 'var(--mantine-font-size-sm)' }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus
        tabIndex={0}
        aria-label="Difference"
      >
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts are shown in their order
          <PartView key={at} {...part} />
        ))}
      </section>
    </>
  );
}

const tinted = (color: string) => ({ background: `var(--mantine-color-${color}-light)` });

function PartView({ kind, text }: Part) {
  if (kind === 'removed') return <del style={tinted('red')}>{text}</del>;
  if (kind === 'added') return <ins style={tinted('teal')}>{text}</ins>;
  const hidden = text.length - 2 * CONTEXT_LENGTH;
  if (hidden <= CONTEXT_LENGTH) return text;
  return (
    <>
      {text.slice(0, CONTEXT_LENGTH)}
      <Text span inherit c="dimmed" fs="italic">
        {` … ${hidden.toLocaleString('en')} unchanged characters … `}
      </Text>
      {text.slice(-CONTEXT_LENGTH)}
    </>
  );
}
