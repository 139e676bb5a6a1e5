import { queryOptions, useQuery } from '@tanstack/react-query';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import type { CollaborationClient } from '../../../../client/index.ts';
import { useKey } from '../../api/key.ts';

const POLL_MS = 5_000;

/** The basic webhooks have no endpoint of their own, but deliveries like one. */
export const BASIC_ENDPOINTS: Record<string, string> = {
  'basic-raw': 'Basic webhook, raw',
  'basic-processed': 'Basic webhook, processed',
};

/** Whether the key uses advanced webhooks at all. */
export const advancedConfig = (apiKey: string, client: CollaborationClient) =>
  queryOptions({
    queryKey: ['advanced webhooks', apiKey],
    queryFn: ({ signal }) => client.advancedWebhookConfig.get({}, { signal }),
  });

async function readAll(client: CollaborationClient, signal: AbortSignal) {
  const endpoints: WebhookEndpoint[] = [];
  let iterator: string | undefined;
  do {
    const page = await client.webhookEndpoints.get(
      { limit: 250, ...(iterator && { iterator }) },
      { signal },
    );
    endpoints.push(...page.endpoints);
    iterator = page.done ? undefined : (page.iterator ?? undefined);
  } while (iterator);
  return endpoints;
}

/** The endpoints of the key, once advanced webhooks are known to be on. */
export function useEndpoints() {
  const { apiKey, client } = useKey();
  const { data: config } = useQuery(advancedConfig(apiKey, client));
  return useQuery({
    queryKey: ['endpoints', apiKey],
    queryFn: ({ signal }) => readAll(client, signal),
    enabled: config?.isEnabled === true,
  });
}

/** How the endpoints fare, by id. */
export function useHealth() {
  const { apiKey, own } = useKey();
  return useQuery({
    queryKey: ['endpoint health', apiKey],
    queryFn: async ({ signal }) => {
      const { endpoints } = await own.webhooks.health.query({}, { signal });
      return new Map(endpoints.map((one) => [one.endpointId, one]));
    },
    refetchInterval: POLL_MS,
  });
}

type HealthMap = NonNullable<ReturnType<typeof useHealth>['data']>;
export type Health = HealthMap extends Map<string, infer One> ? One : never;

/** The name of an endpoint in lists: its description or its address. */
export const nameOf = ({ description, url }: WebhookEndpoint): string => description || url;

/** The name of an endpoint, also of one that was deleted. */
export function endpointName(endpoints: WebhookEndpoint[], endpointId: string): string {
  const found = endpoints.find(({ id }) => id === endpointId);
  return found ? nameOf(found) : (BASIC_ENDPOINTS[endpointId] ?? endpointId);
}
