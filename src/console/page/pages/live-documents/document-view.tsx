import { Anchor, Badge, Breadcrumbs, Group, Select, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { bytesText } from './bytes-text.ts';
import { Content } from './content.tsx';
import { Edits } from './edits.tsx';
import type { EditorPlace, InspectedEditor } from './inspected.ts';
import { Versions } from './versions.tsx';

const RENEWED_MS = 2_000;

interface DocumentViewProps {
  organizationId: string;
  documentId: string;
}

/** The people in a document, and its editors. */
export function DocumentView({ organizationId, documentId }: DocumentViewProps) {
  const { apiKey, own } = useKey();
  const [{ editor: chosen }, change] = usePageSearch();
  const input = { organizationId, documentId };
  const query = useQuery({
    queryKey: ['live-documents', apiKey, 'inspect', input],
    queryFn: ({ signal }) => own.liveDocuments.inspect.query(input, { signal }),
    refetchInterval: RENEWED_MS,
  });
  const close = () =>
    change(
      {
        ...{ organization: undefined, document: undefined, editor: undefined },
        ...{ tab: undefined, from: undefined, to: undefined },
      },
      'push',
    );
  return (
    <Stack gap="md">
      <Breadcrumbs>
        <Anchor component="button" type="button" onClick={close}>
          All live documents
        </Anchor>
        <span>{documentId}</span>
      </Breadcrumbs>
      <Loaded query={query}>
        {({ documentName, editors, people }) => {
          const editor = editors.find(({ editorId }) => editorId === chosen) ?? lastEdited(editors);
          return (
            <>
              <Group justify="space-between">
                <Title order={2} size="h3">
                  {documentName ?? documentId}
                </Title>
                <Group gap="md">
                  <PageLink
                    page="directory"
                    search={{ organization: organizationId, open: `document:${documentId}` }}
                  >
                    Open in directory
                  </PageLink>
                  <PageLink
                    page="access"
                    search={{ organization: organizationId, document: documentId }}
                  >
                    Check access
                  </PageLink>
                </Group>
              </Group>
              <People people={people} />
              {editors.length > 1 && (
                <Select
                  label="Editor"
                  data={editors.map(({ editorId }) => editorId)}
                  value={editor?.editorId ?? null}
                  onChange={(next) =>
                    change({ editor: next ?? undefined, from: undefined, to: undefined }, 'push')
                  }
                  allowDeselect={false}
                  maw={320}
                />
              )}
              {editor ? (
                <EditorView
                  key={editor.editorId}
                  place={{ ...input, editorId: editor.editorId }}
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

/** The editor in which people type. Documents often have others that nobody uses. */
const lastEdited = (editors: InspectedEditor[]): InspectedEditor | undefined =>
  editors.toSorted((one, other) => other.updatedAt - one.updatedAt)[0];

interface PeopleProps {
  people: Array<{ userId: string; name: string | null; processes: string[] }>;
}

function People({ people }: PeopleProps) {
  return (
    <Group gap="xs" role="status" aria-label="Online now">
      <Text size="sm" fw={600}>
        Online now:
      </Text>
      {people.length === 0 && (
        <Text size="sm" c="dimmed">
          Nobody
        </Text>
      )}
      {people.map(({ userId, name, processes }) => (
        <Badge key={userId} color="blue" tt="none" title={`${userId}, by ${processes.join(', ')}`}>
          {name ?? userId}
          {processes.length > 1 && ` (${processes.length} processes)`}
        </Badge>
      ))}
    </Group>
  );
}

function EditorView({ place, editor }: { place: EditorPlace; editor: InspectedEditor }) {
  return (
    <>
      <Facts
        facts={{
          Editor: <span className="console-mono">{editor.editorId}</span>,
          Type: editor.contentType ?? 'Unknown',
          'Log version': editor.version.toLocaleString('en'),
          'Last edit': (
            <>
              <Time at={editor.updatedAt} /> by {editor.updatedBy ?? 'the API key'}
            </>
          ),
          Snapshot: `${bytesText(editor.snapshotBytes)}, to version ${editor.snapshotVersion.toLocaleString('en')}`,
          'Log after it': `${bytesText(editor.logBytes)} in ${rowsText(editor.logRows)}`,
          'Known Yjs clients': editor.clients.toLocaleString('en'),
          'Stored versions': editor.versions.toLocaleString('en'),
        }}
      />
      <PageTabs
        tabs={[
          {
            value: 'content',
            label: 'Content',
            content: <Content place={place} editor={editor} />,
          },
          { value: 'edits', label: 'Last edits', content: <Edits edits={editor.edits} /> },
          {
            value: 'versions',
            label: 'Versions',
            content: <Versions place={place} version={editor.version} />,
          },
        ]}
      />
    </>
  );
}

const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${rows} rows`);
