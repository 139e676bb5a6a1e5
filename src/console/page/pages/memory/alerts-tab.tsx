import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useKey } from '../../api/key.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { AlertCard } from './alert-card.tsx';

/** The alerts about judgments of the last weeks. */
export function AlertsTab() {
  const { apiKey, client } = useKey();
  const alerts = useQuery({
    queryKey: ['memory', apiKey, 'alerts'],
    queryFn: ({ signal }) => client.memory.alerts.list({}, { signal }),
    refetchInterval: 30_000,
  });
  return (
    <Stack gap="md">
      <Group>
        <CopyCurl operation="memory.alerts.list" input={{}} />
        <PageLink page="settings" search={{ tab: 'memory' }}>
          Alert settings
        </PageLink>
      </Group>
      <Loaded query={alerts} lines={8}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="No alerts">
              Alerts appear here when approval rates drift, reviewers diverge, decisions conflict or
              numbers are unusual.
            </Empty>
          ) : (
            <Stack gap="md">
              {found.map((alert) => (
                <AlertCard key={alert.id} alert={alert} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}
