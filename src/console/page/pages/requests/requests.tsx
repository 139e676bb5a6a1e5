import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { openApi } from '../../api/api-description.ts';
import type { OutputOf } from '../../api/client.ts';
import { useChosenKey, usePages } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { CopyText, Facts, Time } from '../../parts/basics.tsx';
import { msText } from '../../parts/chart-data.ts';
import { type Filter, Filters } from '../../parts/filters.tsx';
import { PageLink } from '../../parts/links.tsx';
import { Page } from '../../parts/page.tsx';
import { type Column, onWide, PagedRows } from '../../parts/rows.tsx';

const POLL_MS = 5_000;
const DURATIONS = ['10', '100', '1000', '10000'].map((ms) => ({
  value: ms,
  label: msText(Number(ms)),
}));
const OUTCOMES = { refused: 'Refused (4xx)', failed: 'Server error (5xx)' };

type LoggedRequest = OutputOf<'console.requests.list'>['data'][number];

/** Reads a positive integer from the address; undefined for any other text. */
function positiveInteger(text: string | undefined, max: number): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 && number <= max ? number : undefined;
}

/** Individual requests of the last hours: what failed, what was slow, and some of the others. */
export function Requests() {
  const [{ operation, apiKey, outcome, live, ...search }] = usePageSearch();
  const until = positiveInteger(search.until, 1e14);
  const { keys } = useChosenKey();
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
    { name: 'slowerThan', label: 'Slower than', options: DURATIONS },
  ];
  const input = {
    operation,
    apiKey,
    outcome: outcome === 'failed' || outcome === 'refused' ? outcome : undefined,
    slowerThanMs: positiveInteger(search.slowerThan, 1e9),
    until,
  } as const;
  const pollMs = live === 'off' ? undefined : POLL_MS;
  return (
    <Page
      title="Requests"
      description="Failures, the slowest requests and a sample of the others, for each minute of the last six hours. Bodies are not stored."
    >
      <Filters filters={filters} hasLiveSwitch />
      {until && (
        <Text>
          Requests until <Time at={until} />.{' '}
          <PageLink page="requests" text="Show the newest requests" />
        </Text>
      )}
      <PagedRows
        list={usePages('console.requests.list', input, { pollMs })}
        label="Requests, newest first"
        keyOf={({ id }) => id}
        columns={COLUMNS}
        panel={{ parameter: 'request', title: 'Request', show: detailsOf }}
        emptyTitle="No requests found"
        emptyText="Requests of your servers and users appear here, but not those of the console."
      />
    </Page>
  );
}

const COLUMNS: Column<LoggedRequest>[] = [
  { head: 'Operation', cell: ({ operation }) => operation, isId: true },
  { head: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: '6rem' },
  { head: 'Duration', cell: ({ durationMs }) => msText(durationMs), width: '6.5rem' },
  { head: 'Statements', cell: ({ statements }) => statements, ...onWide('7rem') },
  { head: 'API key', cell: ({ apiKey }) => apiKey ?? '–', isId: true, wideOnly: true },
  { head: 'When', cell: ({ at }) => <Time at={at} />, ...onWide('7rem') },
];

function StatusBadge({ status }: { status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'teal';
  return <Badge color={color}>{status}</Badge>;
}

const detailsOf = ({ requestId, operation, apiKey, at, ...measured }: LoggedRequest) => (
  <Facts
    facts={{
      Operation: operation,
      Status: <StatusBadge status={measured.status} />,
      When: <Time at={at} />,
      Duration: msText(measured.durationMs),
      'Database statements': measured.statements,
      'API key': apiKey ? <CopyText text={apiKey} /> : 'Called without an API key',
      'Request ID, also in the logs': <CopyText text={requestId} />,
    }}
  />
);
