import { useKey } from '../../api/key.ts';
import { usePages } from '../../api/use-pages.ts';
import { Empty } from '../../parts/empty.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { PagedRows } from '../../parts/paged-rows.tsx';
import { Time } from '../../parts/time.tsx';

/** Every editor that has content, open or not. */
export function WithContent() {
  const { apiKey, own } = useKey();
  const list = usePages(['live-documents', apiKey, 'stored'], (page, options) =>
    own.liveDocuments.stored.query(page, options),
  );
  return (
    <PagedRows
      list={list}
      label="Documents with live content"
      keyOf={(row) => `${row.organizationId} ${row.documentId} ${row.editorId}`}
      columns={[
        { head: 'Document', cell: (row) => row.documentName },
        { head: 'Editor', cell: (row) => <span className="console-mono">{row.editorId}</span> },
        { head: 'Organization', cell: (row) => row.organizationId, onPhones: false },
        {
          head: 'Last edit',
          cell: (row) => <Time at={row.updatedAt} />,
          width: '7rem',
        },
        { head: 'By', cell: (row) => row.updatedBy ?? 'the API key', onPhones: false },
      ]}
      opens={({ organizationId, documentId, editorId }) => ({
        organization: organizationId,
        document: documentId,
        editor: editorId,
      })}
      empty={
        <Empty title="No live documents yet">
          Connect an editor, or write with crdt.add. The{' '}
          <PageLink page="playground">playground</PageLink> does both.
        </Empty>
      }
    />
  );
}
