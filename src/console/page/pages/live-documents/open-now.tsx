import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Rows } from '../../parts/rows.tsx';

const RENEWED_MS = 5_000;

/** The documents that people have open, in all processes of the server. */
export function OpenNow() {
  const { apiKey, own } = useKey();
  const query = useQuery({
    queryKey: ['live-documents', apiKey, 'open'],
    queryFn: ({ signal }) => own.liveDocuments.list.query({}, { signal }),
    refetchInterval: RENEWED_MS,
  });
  return (
    <Loaded query={query}>
      {({ documents, hasMore }) =>
        documents.length === 0 ? (
          <Empty title="No documents are open">
            Documents appear here while someone edits them. Try the{' '}
            <PageLink page="playground">playground</PageLink>.
          </Empty>
        ) : (
          <>
            <Rows
              label="Open documents"
              rows={documents}
              keyOf={(row) => `${row.organizationId} ${row.documentId}`}
              columns={[
                { head: 'Document', cell: (row) => row.documentName ?? row.documentId },
                { head: 'Organization', cell: (row) => row.organizationId, onPhones: false },
                {
                  head: 'Online',
                  cell: ({ people, peopleCount }) => {
                    const names = people.map(({ userId, name }) => name ?? userId).join(', ');
                    const others = peopleCount - people.length;
                    return others > 0 ? `${names} and ${others} more` : names;
                  },
                },
                { head: 'People', cell: (row) => row.peopleCount, width: '5.5rem' },
                {
                  head: 'Processes',
                  cell: (row) => row.processes,
                  width: '6.5rem',
                  onPhones: false,
                },
              ]}
              opens={(row) => ({ organization: row.organizationId, document: row.documentId })}
            />
            {hasMore && (
              <Text size="sm" c="dimmed">
                Showing the first {documents.length}.
              </Text>
            )}
          </>
        )
      }
    </Loaded>
  );
}
