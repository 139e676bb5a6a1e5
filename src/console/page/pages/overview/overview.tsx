import { Alert, SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { usePageSearch } from '../../app/search.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { AttentionList } from './attention.tsx';
import { Charts } from './charts.tsx';
import { Numbers } from './numbers.tsx';
import { Processes, Queues, WorstRequests } from './processes.tsx';

const REFRESHED_MS = 15_000;

/** How the server does, and what needs attention first. */
export function Overview() {
  const [{ span: wanted }, setSearch] = usePageSearch();
  const span = wanted === 'day' ? 'day' : 'hour';
  const { data: session } = useQuery(sessionQuery);
  const overview = useQuery({
    queryKey: ['overview', span],
    queryFn: ({ signal }) => call('', 'console.overview.read', { span }, signal),
    refetchInterval: REFRESHED_MS,
    placeholderData: (previous) => previous,
  });
  const { data } = overview;
  return (
    <Page
      title="Overview"
      about={data ? `Version ${data.version}. Updates every ${REFRESHED_MS / 1000} seconds.` : ' '}
      actions={
        data?.server && (
          <SegmentedControl
            aria-label="Time shown"
            size="xs"
            value={span}
            onChange={(value) => setSearch({ span: value === 'day' ? 'day' : undefined })}
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
            <AttentionList attention={attention} isWhole={server !== null} />
            {server ? (
              <>
                <Numbers server={server} span={span} />
                <Charts server={server} />
                <WorstRequests server={server} />
                <Processes server={server} />
                <Queues server={server} />
              </>
            ) : (
              <Alert color="gray" title="Server statistics need the admin token">
                You are signed in for {session?.signedIn?.name ?? 'one tenant'} only. Requests,
                latency, queues and processes cover all tenants of this server.
              </Alert>
            )}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
