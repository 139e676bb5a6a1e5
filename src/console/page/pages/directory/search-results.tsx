import { Badge, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Rows } from '../../parts/rows.tsx';

/** The entries with a text in their id or name, in all organizations or in one. */
export function SearchResults({ q, organizationId }: { q: string; organizationId?: string }) {
  const { apiKey, own } = useKey();
  const [, change] = usePageSearch();
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
            <Empty title={`Nothing has “${q}” in its id or name`}>
              Search for a part of an id or a name, in small or capital letters.
            </Empty>
          ) : (
            <Rows
              label={`Entries with ${q}`}
              rows={found}
              keyOf={(row) => `${row.kind} ${row.organizationId} ${row.id}`}
              columns={[
                { head: 'Kind', cell: (row) => <Badge tt="none">{row.kind}</Badge>, width: '8rem' },
                { head: 'Name', cell: (row) => row.name ?? row.id },
                {
                  head: 'Id',
                  cell: (row) => <span className="console-mono">{row.id}</span>,
                  onPhones: false,
                },
                {
                  head: 'Organization',
                  cell: (row) => row.organizationId ?? 'any',
                  onPhones: false,
                },
              ]}
              onOpen={({ kind, id, organizationId: within }) =>
                change(
                  {
                    open: `${kind}:${id}`,
                    organization: within ?? organizationId,
                    ...(kind === 'organization' && { q: undefined, open: undefined }),
                  },
                  'push',
                )
              }
            />
          )}
          {isPartial && (
            <Text size="sm" c="dimmed">
              There is more than what is shown: at most 25 of each kind are, out of the first
              100,000
              {organizationId ? '.' : '. Within an organization, more of its entries are searched.'}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
