import { Alert, Paper, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useRead } from '../../api/read.ts';
import { usePerson } from '../../api/session.ts';
import { usePageSearch } from '../../app/search.ts';
import { Loaded, Note } from '../../parts/basics.tsx';
import { countText, msText } from '../../parts/chart-data.ts';
import { Page } from '../../parts/page.tsx';
import { AttentionList } from './attention.tsx';
import { Charts, type ServerOverview } from './charts.tsx';
import { Processes, Queues, WorstRequests } from './processes.tsx';

const POLL_MS = 15_000;

/** The state of the server, with what needs attention first. */
export function Overview() {
  const [{ span: chosen }, changeSearch] = usePageSearch();
  const span = chosen === 'day' ? 'day' : 'hour';
  const person = usePerson();
  const options = { refetchInterval: POLL_MS, keepsPrevious: true };
  const overview = useRead('console.overview.read', { span }, options);
  const { data, error } = overview;
  return (
    <Page
      title="Overview"
      description={
        data ? `Version ${data.version}. Each process reports its numbers once a minute.` : ' '
      }
      actions={
        data?.server && (
          <SegmentedControl
            aria-label="Time shown"
            size="xs"
            value={span}
            onChange={(value) => changeSearch({ span: value === 'day' ? 'day' : undefined })}
            data={[
              { value: 'hour', label: 'Last hour' },
              { value: 'day', label: 'Last day' },
            ]}
          />
        )
      }
    >
      <Loaded query={overview} lines={10}>
        {({ attention, server }) => (
          <Stack gap="lg">
            {/* If the last read failed, an earlier “Nothing needs attention” would be misleading. */}
            {(!error || attention.length > 0) && (
              <AttentionList attention={attention} isOfServer={server !== null} />
            )}
            {server ? (
              <>
                <Numbers server={server} />
                <Charts server={server} />
                <WorstRequests server={server} />
                <Processes server={server} />
                <Queues server={server} />
              </>
            ) : (
              <Alert color="gray" title="Server statistics are not shown">
                You are signed in for {person?.name ?? 'one API key'} only. Requests, latency,
                queues and processes concern all API keys of this server. To see them, sign in with
                the admin token.
              </Alert>
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** The whole period in a few numbers. */
function Numbers({ server }: { server: ServerOverview }) {
  const { span, total, processes, chains } = server;
  const { requests, errors, p50Ms, p99Ms, deliveries, failedDeliveries } = total;
  const running = processes.filter(({ health }) => health === 'running');
  const nowText = (metric: 'liveDocuments' | 'liveConnections') =>
    countText(running.reduce((sum, { state }) => sum + state[metric], 0));
  const share = requests > 0 ? `${((100 * errors) / requests).toFixed(2)} % of requests` : '';
  const tiles = [
    ['Requests', countText(requests), `in the last ${span}`],
    ['Server errors', countText(errors), share],
    ['Median latency', p50Ms === null ? '–' : msText(p50Ms), 'half are faster'],
    ['99th percentile', p99Ms === null ? '–' : msText(p99Ms), '99 % are faster'],
    ['Live documents', nowText('liveDocuments'), `${nowText('liveConnections')} connections`],
    ['Webhook deliveries', countText(deliveries), `${countText(failedDeliveries)} attempts failed`],
    ['Activity chains', countText(chains.chains), `${countText(chains.verified)} verified`],
  ] as const;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4, xl: 7 }} spacing="sm">
      {tiles.map(([name, value, note]) => (
        <Paper withBorder p="sm" key={name}>
          <Note size="xs">{name}</Note>
          <Text fz={26} fw={650} lh={1.2}>
            {value}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {note || ' '}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
