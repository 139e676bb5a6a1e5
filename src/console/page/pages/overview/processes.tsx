import { Badge, SimpleGrid } from '@mantine/core';
import type { PageSearch } from '../../app/search.ts';
import { Note, Time } from '../../parts/basics.tsx';
import { countText, msText, secondsText } from '../../parts/chart-data.ts';
import { PageLink } from '../../parts/links.tsx';
import { Section } from '../../parts/panel.tsx';
import { type Column, ShortTable } from '../../parts/rows.tsx';
import type { ServerOverview } from './charts.tsx';

const COLORS = { running: 'teal', stopped: 'gray', gone: 'red' } as const;

/** Every process that was seen during the period shown. */
export const Processes = ({ server: { processes } }: { server: ServerOverview }) => (
  <Section title="Processes" id="processes">
    <ShortTable
      label="Processes"
      rows={processes}
      keyOf={({ id }) => id}
      minWidth={900}
      columns={[
        {
          head: 'Process',
          cell: ({ host, pid }) => (
            <>
              {host}
              <Note size="xs">process {pid}</Note>
            </>
          ),
        },
        {
          head: 'Health',
          cell: ({ health }) => (
            <Badge color={COLORS[health]} miw="max-content">
              {health}
            </Badge>
          ),
        },
        { head: 'Roles', cell: ({ roles }) => roles.join(', ') },
        { head: 'Version', cell: ({ version }) => version },
        { head: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
        { head: 'Last seen', cell: ({ seenAt }) => <Time at={seenAt} /> },
        { head: 'Event loop', cell: ({ state }) => `${msText(state.loopDelayMs)} delay` },
        { head: 'Memory', cell: ({ state }) => `${Math.round(state.memoryBytes / 1e6)} MB` },
        {
          head: 'Database connections',
          cell: ({ state: { database } }) => {
            const { inUse, most, waiting } = database;
            const used = `${inUse} of ${most} in use`;
            return waiting > 0 ? `${used}, ${waiting} waiting` : used;
          },
        },
        {
          head: 'Redis',
          cell: ({ state: { redis } }) =>
            redis === null ? 'Not used' : redis ? 'Connected' : 'Not reachable',
        },
      ]}
    />
  </Section>
);

const QUEUE_NAMES: Record<string, string> = {
  outbox: 'Events waiting to enter the event log',
  jobs: 'Background jobs',
  'failed-jobs': 'Failed background jobs',
  mails: 'Emails',
  'pending-deliveries': 'Webhook endpoints with pending deliveries',
  'due-deliveries': 'Webhook endpoints with overdue deliveries',
};

/** The work that is waiting in PostgreSQL now. */
export function Queues({ server: { queues } }: { server: ServerOverview }) {
  const waitingNow = queues.filter(({ waiting }) => waiting > 0);
  return (
    <Section title="Queues" id="queues">
      <ShortTable
        label="Queues"
        emptyText="Nothing is waiting."
        rows={waitingNow}
        keyOf={({ queue }) => queue}
        columns={[
          {
            head: 'Queue',
            cell: ({ queue }) => QUEUE_NAMES[queue] ?? queue.replace(/^reader-/, 'Event reader: '),
          },
          { head: 'Waiting', cell: ({ waiting }) => countText(waiting) },
          { head: 'Oldest', cell: ({ oldestSeconds }) => secondsText(oldestSeconds) },
        ]}
      />
    </Section>
  );
}

type Worst = ServerOverview['requests']['slowest'][number];

/** The slowest operations, and the operations that failed most, among the requests that are kept. */
export function WorstRequests({ server: { requests } }: { server: ServerOverview }) {
  const list = (title: string, rows: Worst[], search: PageSearch, columns: Column<Worst>[]) => (
    <Section title={title}>
      <ShortTable
        label={title}
        emptyText="None during this period."
        rows={rows}
        keyOf={({ operation, apiKey }) => `${operation} ${apiKey}`}
        minWidth={320}
        columns={[
          {
            head: 'Operation',
            cell: ({ operation, apiKey }) => (
              <PageLink
                page="requests"
                search={{ ...search, operation, apiKey: apiKey ?? undefined }}
                text={operation}
              />
            ),
          },
          { head: 'API key', cell: ({ apiKey }) => apiKey ?? '–', isId: true, wideOnly: true },
          ...columns,
        ]}
      />
    </Section>
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {list('Slowest operations', requests.slowest, { slowerThan: '100' }, [
        { head: 'Slowest', cell: ({ durationMs }) => msText(durationMs) },
      ])}
      {list('Failing operations', requests.failing, { outcome: 'failed' }, [
        { head: 'Failed', cell: ({ count }) => countText(count) },
      ])}
    </SimpleGrid>
  );
}
