import { useEventTypes } from '../../api/api-description.ts';
import type { OutputOf } from '../../api/client.ts';
import { usePages, useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { CopyText, Facts, Json, Loaded, Time } from '../../parts/basics.tsx';
import { EventDeliveries } from '../../parts/event-deliveries.tsx';
import { type Filter, Filters, listOf } from '../../parts/filters.tsx';
import { DocsLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel, Section } from '../../parts/panel.tsx';
import { type Column, onWide, PagedRows } from '../../parts/rows.tsx';

const POLL_MS = 4_000;

type EventSummary = OutputOf<'console.events.list'>['data'][number];

const COLUMNS: Column<EventSummary>[] = [
  { head: 'Type', isId: true, cell: ({ type }) => type },
  { head: 'When', cell: ({ at }) => <Time at={at} />, width: '7rem' },
  { head: 'Organization', cell: ({ organizationId }) => organizationId ?? '–', wideOnly: true },
  { head: 'Document', cell: ({ documentId }) => documentId ?? '–', wideOnly: true },
  { head: 'ID', cell: ({ id }) => id, isId: true, ...onWide('13rem') },
];

const filtersOf = (types: string[]): Filter[] => [
  {
    name: 'type',
    label: 'Event types',
    kind: 'list',
    options: types,
    placeholder: 'All except presence',
  },
  { name: 'organizationId', label: 'Organization', kind: 'organization' },
  { name: 'documentId', label: 'Document', kind: 'document' },
];

/** The event log of the key, newest events first. Presence events are shown only if they are chosen. */
export function Events() {
  const [{ type, organizationId, documentId, live }] = usePageSearch();
  const types = listOf(type);
  const isFiltered = Boolean(type || organizationId || documentId);
  const input = { types, organizationId, documentId };
  const pollMs = live === 'off' ? undefined : POLL_MS;
  return (
    <Page
      title="Events"
      description="Everything that happened under this API key. Webhooks, notifications and emails are based on these events."
    >
      <Filters filters={filtersOf(useEventTypes())} hasLiveSwitch />
      <PagedRows
        list={usePages('console.events.list', input, { pollMs })}
        label="Events, newest first"
        keyOf={(event) => event.id}
        columns={COLUMNS}
        opens={(event) => ({ id: event.id })}
        isFiltered={isFiltered}
        emptyTitle="No events yet"
        emptyText="Add a document or comment, for example in the playground. Its event appears here immediately."
      />
      <EventPanel />
    </Page>
  );
}

/** One event: where it happened, its data, and its webhook deliveries. */
function EventPanel() {
  const [{ id: eventId }] = usePageSearch();
  const event = useRead('console.events.inspect', eventId ? { eventId } : undefined);
  return (
    <Panel parameter="id" title={event.data?.type ?? 'Event'}>
      {() => (
        <Loaded query={event}>
          {({ id, type, at, organizationId, documentId, data, deliveries }) => (
            <>
              <Facts
                facts={{
                  ID: <CopyText text={id} />,
                  Type: <DocsLink page={`event-types/${type}`} text={type} />,
                  When: <Time at={at} />,
                  Organization: organizationId && <CopyText text={organizationId} />,
                  Document: documentId && <CopyText text={documentId} />,
                  Link: <CopyText text={location.href} shown="permalink" />,
                }}
              />
              <Section title="Deliveries">
                <EventDeliveries deliveries={deliveries} />
              </Section>
              <Section title="Data">
                <Json value={data} label="Event data" />
              </Section>
            </>
          )}
        </Loaded>
      )}
    </Panel>
  );
}
