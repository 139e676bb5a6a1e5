import { Badge, Stack } from '@mantine/core';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Note, Time } from '../../parts/basics.tsx';
import { Filters } from '../../parts/filters.tsx';
import { onWide, PagedRows } from '../../parts/rows.tsx';

export function Audit() {
  const [{ q }] = usePageSearch();
  return (
    <Stack gap="md">
      <Note>
        Every sign-in, every change and every view of a secret in the console, for all keys that you
        can see. Entries are kept for 180 days. They do not include what was entered or shown.
      </Note>
      <Filters filters={{ name: 'q', label: 'Person or operation' }} />
      <PagedRows
        list={usePages('console.audit.list', { q })}
        label="Actions, newest first"
        keyOf={({ id }) => id}
        columns={[
          { head: 'Person', cell: ({ person }) => person },
          { head: 'Role', cell: ({ role }) => role, ...onWide('8rem') },
          { head: 'Operation', cell: ({ operation }) => operation, isId: true },
          { head: 'Affected', cell: ({ subject }) => idsText(subject), wideOnly: true },
          {
            head: 'Outcome',
            cell: ({ status }) =>
              status === null ? (
                'unknown'
              ) : (
                <Badge color={status < 400 ? 'teal' : 'red'}>
                  {status < 400 ? 'done' : `${status < 500 ? 'refused' : 'failed'} (${status})`}
                </Badge>
              ),
            ...onWide('9rem'),
          },
          { head: 'When', cell: ({ at }) => <Time at={at} />, width: '7rem' },
        ]}
        emptyTitle="No actions yet"
        emptyText="What you change in the console appears here."
      />
    </Stack>
  );
}

const idsText = (subject: Record<string, string[]>): string =>
  Object.entries(subject)
    .map(([name, ids]) => `${name}: ${ids.join(', ')}`)
    .join('; ');
