import { Badge, Breadcrumbs, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { readableContent } from '../../../readable-content.ts';
import type { InputOf, OutputOf } from '../../api/client.ts';
import { useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Code, Empty, Facts, Loaded, Note, Time } from '../../parts/basics.tsx';
import { bytesText } from '../../parts/chart-data.ts';
import { Filters } from '../../parts/filters.tsx';
import { PageLink } from '../../parts/links.tsx';
import { PageTabs } from '../../parts/page.tsx';
import { ShortTable } from '../../parts/rows.tsx';
import { type EditorRef, Versions } from './versions.tsx';

type Inspected = OutputOf<'console.liveDocuments.inspect'>;
/** The stored state of an editor. */
type InspectedEditor = Inspected['editors'][number];

const POLL_MS = 2_000;

/** The people in a document, and its editors. */
export function DocumentView(input: InputOf<'console.liveDocuments.inspect'>) {
  const { organizationId, documentId } = input;
  const [{ editor: chosen, list }] = usePageSearch();
  return (
    <Stack gap="md">
      <Breadcrumbs>
        <PageLink page="live-documents" search={{ list }} text="All live documents" />
        <span>{documentId}</span>
      </Breadcrumbs>
      <Loaded query={useRead('console.liveDocuments.inspect', input, { refetchInterval: POLL_MS })}>
        {({ documentName, editors, people }) => {
          const editor = editors.find(({ editorId }) => editorId === chosen) ?? lastEdited(editors);
          return (
            <>
              <Group justify="space-between">
                <Title size="h3">{documentName ?? documentId}</Title>
                <Group gap="md">
                  <PageLink
                    page="directory"
                    search={{ organization: organizationId, open: `document:${documentId}` }}
                    text="Open in directory"
                  />
                  <PageLink
                    page="access"
                    search={{ organization: organizationId, document: documentId }}
                    text="Check access"
                  />
                </Group>
              </Group>
              <People people={people} />
              {editors.length > 1 && (
                <Filters
                  filters={{
                    name: 'editor',
                    label: 'Editor',
                    options: editors.map(({ editorId, versions }) => ({
                      value: editorId,
                      label: versions > 0 ? `${editorId} (saved versions: ${versions})` : editorId,
                    })),
                    initial: editor?.editorId,
                    required: true,
                    clearedParameters: ['from', 'to'],
                  }}
                />
              )}
              {editor ? (
                <EditorView
                  key={editor.editorId}
                  editorRef={{ ...input, editorId: editor.editorId }}
                  editor={editor}
                />
              ) : (
                <Empty title="No content yet">Connect an editor, or write with crdt.add.</Empty>
              )}
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

/** The editor with the newest edit. Documents often have other editors that nobody uses. */
const lastEdited = (editors: InspectedEditor[]): InspectedEditor | undefined =>
  editors.toSorted((one, other) => other.updatedAt - one.updatedAt)[0];

const People = ({ people }: Pick<Inspected, 'people'>) => (
  <Group gap="xs" role="status" aria-label="Online now">
    <Text fw={600}>Online now:</Text>
    {people.length === 0 && <Note>Nobody</Note>}
    {people.map(({ userId, name, processes }) => (
      <Badge key={userId} color="blue" title={`${userId}, connected to ${processes.join(', ')}`}>
        {name ?? userId}
        {processes.length > 1 && ` (${processes.length} processes)`}
      </Badge>
    ))}
  </Group>
);

function EditorView({ editorRef, editor }: { editorRef: EditorRef; editor: InspectedEditor }) {
  const { version, snapshotBytes, snapshotVersion, logBytes, logRows } = editor;
  const count = (value: number) => value.toLocaleString('en');
  return (
    <>
      <Facts
        facts={{
          Editor: <span className="console-mono">{editor.editorId}</span>,
          Type: editor.contentType,
          Version: count(version),
          'Last edit': (
            <>
              <Time at={editor.updatedAt} /> by {editor.updatedBy ?? 'the API key'}
            </>
          ),
          Snapshot: `${bytesText(snapshotBytes)}, up to version ${count(snapshotVersion)}`,
          'Unmerged edits': `${bytesText(logBytes)} in ${logRows === 1 ? '1 row' : `${logRows} rows`}`,
          'Yjs clients': count(editor.clients),
          'Saved versions': count(editor.versions),
        }}
      />
      <PageTabs
        tabs={[
          {
            value: 'content',
            label: 'Content',
            content: <Content editorRef={editorRef} editor={editor} />,
          },
          { value: 'edits', label: 'Last edits', content: <Edits edits={editor.edits} /> },
          {
            value: 'versions',
            label: 'Versions',
            content: <Versions editorRef={editorRef} version={version} />,
          },
        ]}
      />
    </>
  );
}

/** The newest rows of an editor's log. */
const Edits = ({ edits }: Pick<InspectedEditor, 'edits'>) =>
  edits.length === 0 ? (
    <Empty title="No recent edits">
      All edits are merged into the snapshot. The next edit appears here.
    </Empty>
  ) : (
    <>
      <ShortTable
        label="Last edits"
        rows={edits}
        keyOf={({ firstVersion }) => String(firstVersion)}
        minWidth={340}
        columns={[
          { head: 'When', cell: ({ at }) => <Time at={at} /> },
          { head: 'By', cell: ({ userId }) => userId ?? 'the API key' },
          {
            head: 'Versions',
            cell: ({ firstVersion, version }) =>
              firstVersion === version ? version : `${firstVersion} to ${version}`,
          },
          { head: 'Size', cell: ({ bytes }) => bytesText(bytes) },
        ]}
      />
      <Note size="xs">
        Each row combines consecutive small edits, with the time and author of the last one.
      </Note>
    </>
  );

/** Larger content is not read until somebody asks for it. */
const SMALL_BYTES = 1_000_000;

/** The current content of the editor. It is read again after each edit. */
function Content({ editorRef, editor }: { editorRef: EditorRef; editor: InspectedEditor }) {
  const { version, snapshotBytes, logBytes } = editor;
  const bytes = snapshotBytes + logBytes;
  const [isShown, setShown] = useState(bytes <= SMALL_BYTES);
  const input = isShown ? editorRef : undefined;
  const query = useRead('crdt.get', input, { keepsPrevious: true, version });
  if (!isShown) {
    return (
      <Empty title={`Large content: ${bytesText(bytes)}`}>
        <Button onClick={() => setShown(true)}>Load content</Button>
      </Empty>
    );
  }
  return (
    <Loaded query={query}>
      {([content]) =>
        content ? (
          <Code text={readableContent(content.type, content.data) || '(empty)'} label="Content" />
        ) : (
          <Empty title="No content">The content may have just been deleted.</Empty>
        )
      }
    </Loaded>
  );
}
