import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Loaded, Note, nameOf, Time } from '../../parts/basics.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Page, PageTabs } from '../../parts/page.tsx';
import { onWide, PagedRows, Rows } from '../../parts/rows.tsx';
import { DocumentView } from './document-view.tsx';

export function LiveDocuments() {
  const [{ organization, document }] = usePageSearch();
  return (
    <Page
      title="Live documents"
      description="Documents that are open now, and the edits, sizes and versions of all documents."
    >
      {organization && document ? (
        <DocumentView
          key={`${organization} ${document}`}
          organizationId={organization}
          documentId={document}
        />
      ) : (
        <PageTabs
          parameter="list"
          tabs={[
            { value: 'open', label: 'Open now', content: <OpenDocuments /> },
            { value: 'all', label: 'All documents', content: <StoredDocuments /> },
          ]}
        />
      )}
    </Page>
  );
}

const POLL_MS = 5_000;

/** The documents that people have open, in all processes of the server. */
const OpenDocuments = () => (
  <Loaded query={useRead('console.liveDocuments.list', {}, { refetchInterval: POLL_MS })}>
    {({ documents, hasMore }) => (
      <>
        <Rows
          label="Open documents"
          rows={documents}
          keyOf={(row) => `${row.organizationId} ${row.documentId}`}
          columns={[
            { head: 'Document', cell: (row) => row.documentName ?? row.documentId },
            { head: 'Organization', cell: (row) => row.organizationId, wideOnly: true },
            {
              head: 'Online',
              cell: ({ people, peopleCount }) => {
                const names = people.map(nameOf).join(', ');
                const others = peopleCount - people.length;
                return others > 0 ? `${names} and ${others} more` : names;
              },
            },
            { head: 'People', cell: (row) => row.peopleCount, width: '5.5rem' },
            { head: 'Processes', cell: (row) => row.processes, ...onWide('6.5rem') },
          ]}
          opens={(row) => ({ organization: row.organizationId, document: row.documentId })}
          emptyTitle="No documents are open"
          emptyText={
            <>
              Documents appear here while someone has them open. Try the{' '}
              <PageLink page="playground" text="playground" />.
            </>
          }
        />
        {hasMore && <Note>Showing the first {documents.length} documents.</Note>}
      </>
    )}
  </Loaded>
);

/** Every editor that has content, open or not. */
const StoredDocuments = () => (
  <PagedRows
    list={usePages('console.liveDocuments.stored', {})}
    label="Documents with live content"
    keyOf={(row) => `${row.organizationId} ${row.documentId} ${row.editorId}`}
    columns={[
      { head: 'Document', cell: (row) => row.documentName },
      { head: 'Editor', isId: true, cell: (row) => row.editorId },
      { head: 'Organization', cell: (row) => row.organizationId, wideOnly: true },
      { head: 'Last edit', cell: (row) => <Time at={row.updatedAt} />, width: '7rem' },
      { head: 'By', cell: (row) => row.updatedBy ?? 'the API key', wideOnly: true },
    ]}
    opens={({ organizationId, documentId, editorId }) => ({
      organization: organizationId,
      document: documentId,
      editor: editorId,
    })}
    emptyTitle="No live documents yet"
    emptyText={
      <>
        Connect an editor, or write with crdt.add. The{' '}
        <PageLink page="playground" text="playground" /> does both.
      </>
    }
  />
);
