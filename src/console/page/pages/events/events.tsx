import { Button } from '@mantine/core';
import type { OutputOf } from '../../api/client.ts';
import { useEventTypes } from '../../api/documents.ts';
import { queries } from '../../api/queries.ts';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { type Filter, Filters, listOf } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, PagedRows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { EventPanel } from './event-panel.tsx';

const POLL_MS = 4_000;

type EventLine = OutputOf<'console.events.list'>['events'][number];

const COLUMNS: Column<EventLine>[] = [
  { head: 'Type', isId: true, cell: ({ type }) => type },
  { head: 'When', cell: ({ at }) => <Time at={at} />, width: '7rem' },
  { head: 'Organization', cell: ({ organizationId }) => organizationId ?? '–', onPhones: false },
  { head: 'Document', cell: ({ documentId }) => documentId ?? '–', onPhones: false },
  { head: 'ID', cell: ({ id }) => id, isId: true, width: '13rem', onPhones: false },
];

const filtersOf = (types: string[]): Filter[] => [
  {
    name: 'type',
    label: 'Event types',
    kind: 'list',
    options: types,
    placeholder: 'All but presence',
  },
  { name: 'organizationId', label: 'Organization', kind: 'organization' },
  { name: 'documentId', label: 'Document', kind: 'document' },
];

/** The event log of the key, the newest first. Events of presence are shown when they are chosen. */
export function Events() {
  const [{ type, organizationId, documentId, live }] = usePageSearch();
  const types = listOf(type);
  const isFiltered = types.length > 0 || !!organizationId || !!documentId;
  const isLive = live !== 'off';
  const filters = {
    types,
    ...(organizationId && { organizationId }),
    ...(documentId && { documentId }),
  };
  const list = usePages('console.events.list', filters, {
    pageOf: ({ events, before }) => ({ data: events, next: before }),
    token: 'before',
    everyMs: isLive ? POLL_MS : undefined,
  });
  return (
    <Page
      title="Events"
      about="Everything that happened in this key. Webhooks, notifications and emails are based on it."
    >
      <Filters filters={filtersOf(useEventTypes())} isFollowing>
        {isLive && list.pages > 1 && (
          <Button
            variant="light"
            size="compact-sm"
            mb={6}
            onClick={() => void queries.resetQueries({ queryKey: ['console.events.list'] })}
          >
            Paused. Back to the newest
          </Button>
        )}
      </Filters>
      <PagedRows
        list={list}
        label="Events, newest first"
        keyOf={(event) => event.id}
        columns={COLUMNS}
        opens={(event) => ({ id: event.id })}
        empty={
          isFiltered ? (
            <Empty title="No events found">Remove a filter, or wait: new events appear here.</Empty>
          ) : (
            <Empty title="No events yet">
              Add a document or comment, for example in the playground. Its event appears here
              immediately.
            </Empty>
          )
        }
      />
      <EventPanel />
    </Page>
  );
}
