import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Rows } from '../../parts/rows.tsx';

const RENEWED_MS = 5_000;

/** The documents that people have open, in all processes of the server. */
export function OpenNow() {
  const { apiKey, own } = useKey();
  const [, change] = usePageSearch();
  const query = useQuery({
    queryKey: ['live-documents', apiKey, 'open'],
    queryFn: ({ signal }) => own.liveDocuments.list.query({}, { signal }),
    refetchInterval: RENEWED_MS,
  });
  return (
    <Loaded query={query}>
      {({ documents, hasMore }) =>
        documents.length === 0 ? (
          <Empty title="Nobody has a document open">
            A document stands here while somebody edits it. Open one in two editors at the{' '}
            <PageLink page="playground">playground</PageLink>, or look at all that have content.
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
                  head: 'In it',
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
              onOpen={(row) =>
                change({ organization: row.organizationId, document: row.documentId }, 'push')
              }
            />
            {hasMore && (
              <Text size="sm" c="dimmed">
                More are open: the first {documents.length} are shown.
              </Text>
            )}
          </>
        )
      }
    </Loaded>
  );
}
