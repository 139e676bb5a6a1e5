import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';

/** An address with a document's id alone: it may be in several organizations. */
export function ChooseDocument({ documentId }: { documentId: string }) {
  const { apiKey, own } = useKey();
  const [, change] = usePageSearch();
  const input = { q: documentId, kind: 'document' as const };
  const query = useQuery({
    queryKey: ['directory', apiKey, 'find', input],
    queryFn: ({ signal }) => own.directory.find.query(input, { signal }),
  });
  return (
    <Loaded query={query}>
      {({ found }) =>
        found.length === 0 ? (
          <Empty title={`Document “${documentId}” not found`}>
            <Button variant="light" onClick={() => change({ document: undefined })}>
              Show open documents
            </Button>
          </Empty>
        ) : (
          <Stack gap="xs" align="flex-start">
            <Text>Choose a document:</Text>
            {found.map(({ organizationId, id, name }) => (
              <Button
                key={`${organizationId} ${id}`}
                variant="light"
                onClick={() => change({ organization: organizationId ?? '', document: id })}
              >
                {name ?? id} ({organizationId})
              </Button>
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}
