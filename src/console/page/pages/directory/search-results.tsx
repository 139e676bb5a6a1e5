import { Badge, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Rows } from '../../parts/rows.tsx';

/** The entries with a text in their id or name, in all organizations or in one. */
export function SearchResults({ q, organizationId }: { q: string; organizationId?: string }) {
  const { apiKey, own } = useKey();
  const input = { q, ...(organizationId && { organizationId }) };
  const query = useQuery({
    queryKey: ['directory', apiKey, 'find', input],
    queryFn: ({ signal }) => own.directory.find.query(input, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ found, isPartial }) => (
        <Stack gap="xs">
          {found.length === 0 ? (
            <Empty title={`No results for “${q}”`}>Search by part of an ID or name.</Empty>
          ) : (
            <Rows
              label={`Entries with ${q}`}
              rows={found}
              keyOf={(row) => `${row.kind} ${row.organizationId} ${row.id}`}
              columns={[
                { head: 'Name', cell: (row) => row.name ?? row.id },
                { head: 'Kind', cell: (row) => <Badge tt="none">{row.kind}</Badge>, width: '8rem' },
                {
                  head: 'ID',
                  cell: (row) => <span className="console-mono">{row.id}</span>,
                  onPhones: false,
                },
                {
                  head: 'Organization',
                  cell: (row) => row.organizationId ?? 'any',
                  onPhones: false,
                },
              ]}
              opens={({ kind, id, organizationId: within }) => ({
                open: `${kind}:${id}`,
                organization: within ?? organizationId,
                ...(kind === 'organization' && { q: undefined, open: undefined }),
              })}
            />
          )}
          {isPartial && (
            <Text size="sm" c="dimmed">
              Showing up to 25 results of each kind.
              {organizationId ? '' : ' Open an organization to search all of its entries.'}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
