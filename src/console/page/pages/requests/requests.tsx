import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { OutputOf } from '../../api/client.ts';
import { openApi } from '../../api/documents.ts';
import { usePresentKey } from '../../api/key.ts';
import { usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { msText } from '../../parts/chart-data.ts';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { RowPanel } from '../../parts/panel.tsx';
import { type Column, PagedRows } from '../../parts/rows.tsx';
import { CopyText, Empty, Facts } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';

const POLL_MS = 5_000;
const SLOW = ['10', '100', '1000', '10000'].map((ms) => ({ value: ms, label: msText(Number(ms)) }));
const OUTCOMES = [
  { value: 'refused', label: 'Refused (4xx)' },
  { value: 'failed', label: 'Server error (5xx)' },
];

type LoggedRequest = OutputOf<'console.requests.list'>['data'][number];

/** Single requests of the last hours: what failed, what was slow, and some of the others. */
export function Requests() {
  const [{ operation, apiKey, outcome, slowerThan, until, live }] = usePageSearch();
  const { keys } = usePresentKey();
  const { data: api } = useQuery(openApi);
  const filters: Filter[] = [
    {
      name: 'operation',
      label: 'Operation',
      options: api?.operations.map(({ name }) => name) ?? [],
      placeholder: 'All operations',
    },
    {
      name: 'apiKey',
      label: 'API key',
      options: keys.map((key) => ({ value: key.apiKey, label: key.name || key.apiKey })),
      placeholder: 'All keys',
    },
    { name: 'outcome', label: 'Outcome', options: OUTCOMES },
    { name: 'slowerThan', label: 'Slower than', options: SLOW },
  ];
  const isFailure = outcome === 'failed' || outcome === 'refused';
  const list = usePages(
    'console.requests.list',
    {
      ...(operation && { operation }),
      ...(apiKey && { apiKey }),
      ...(isFailure && { outcome: outcome as 'failed' | 'refused' }),
      ...(Number(slowerThan) > 0 && { slowerThanMs: Number(slowerThan) }),
      ...(Number(until) > 0 && { until: Number(until) }),
    },
    { everyMs: live === 'off' ? undefined : POLL_MS },
  );
  return (
    <Page
      title="Requests"
      about="Failures, the slowest requests and a sample of the others, for each minute of the last six hours. Bodies are not stored."
    >
      <Filters filters={filters} isFollowing />
      {until && (
        <Text size="sm">
          Until <Time at={Number(until)} />.{' '}
          <PageLink page="requests">Show the newest requests</PageLink>
        </Text>
      )}
      <PagedRows
        list={list}
        label="Requests, newest first"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        opens={({ id }) => ({ request: id })}
        empty={
          <Empty title="No requests found">
            Requests of your servers and users appear here, but not those of the console.
          </Empty>
        }
      />
      <RowPanel of="request" title="Request" query={list.query} idOf={({ id }) => id}>
        {(request) => <Details request={request} />}
      </RowPanel>
    </Page>
  );
}

const COLUMNS: Column<LoggedRequest>[] = [
  { head: 'Operation', cell: ({ operation }) => operation, isId: true },
  { head: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: '6rem' },
  { head: 'Duration', cell: ({ durationMs }) => msText(durationMs), width: '6.5rem' },
  { head: 'Statements', cell: ({ statements }) => statements, width: '7rem', onPhones: false },
  { head: 'API key', cell: ({ apiKey }) => apiKey ?? '–', isId: true, onPhones: false },
  { head: 'When', cell: ({ at }) => <Time at={at} />, width: '7rem', onPhones: false },
];

function StatusBadge({ status }: { status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'teal';
  return <Badge color={color}>{status}</Badge>;
}

function Details({ request }: { request: LoggedRequest }) {
  const { requestId, operation, apiKey, status, durationMs, statements, at } = request;
  return (
    <Facts
      facts={{
        Operation: operation,
        Status: <StatusBadge status={status} />,
        When: <Time at={at} />,
        Duration: msText(durationMs),
        'Database statements': statements,
        'API key': apiKey ? <CopyText text={apiKey} /> : 'None',
        'Request ID, also in the logs': <CopyText text={requestId} />,
      }}
    />
  );
}
