import { useQuery } from '@tanstack/react-query';
import type { DeliveryAttempt, WebhookEndpoint } from '../../../../api/contract.ts';
import { call, type OutputOf } from '../../api/client.ts';
import { usePageKey, useRead } from '../../api/read.ts';

/** The names of the basic webhooks, by the endpoint id that their deliveries have. */
export const BASIC_ENDPOINTS: Record<string, string> = {
  'basic-raw': 'Basic webhook, raw',
  'basic-processed': 'Basic webhook, processed',
};

async function readEndpoints(apiKey: string, signal: AbortSignal) {
  const endpoints: WebhookEndpoint[] = [];
  let iterator: string | undefined;
  do {
    const page = await call(apiKey, 'webhookEndpoints.get', { limit: 250, iterator }, signal);
    endpoints.push(...page.endpoints);
    iterator = page.done ? undefined : (page.iterator ?? undefined);
  } while (iterator);
  return endpoints;
}

/** The endpoints of the key, once advanced webhooks are known to be on. */
export function useEndpoints() {
  const { apiKey } = usePageKey();
  const { data: config } = useRead('advancedWebhookConfig.get', {});
  return useQuery({
    queryKey: ['endpoints', apiKey],
    queryFn: ({ signal }) => readEndpoints(apiKey, signal),
    enabled: config?.isEnabled === true,
  });
}

export type Health = OutputOf<'console.webhooks.health'>['endpoints'][number];

/** The name of an endpoint in lists: its description or its address. */
export const endpointName = ({ description, url }: WebhookEndpoint): string => description || url;

/** The name of the endpoint with this id; the id itself if the endpoint was deleted. */
export function endpointNameById(endpoints: WebhookEndpoint[], endpointId: string): string {
  const endpoint = endpoints.find(({ id }) => id === endpointId);
  return endpoint ? endpointName(endpoint) : (BASIC_ENDPOINTS[endpointId] ?? endpointId);
}

/** Whether the receiver accepted the delivery in this attempt. */
export const isAccepted = ({ error, statusCode }: Pick<DeliveryAttempt, 'error' | 'statusCode'>) =>
  error === null && statusCode !== null && statusCode < 300;
