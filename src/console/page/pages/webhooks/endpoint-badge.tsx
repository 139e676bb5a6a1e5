import { Badge } from '@mantine/core';
import type { WebhookEndpoint } from '../../../../api/contract.ts';
import type { Health } from './use-endpoints.ts';

interface EndpointWithHealth {
  endpoint: WebhookEndpoint;
  health: Health | undefined;
}

/** The state of an endpoint in a word. */
export function EndpointBadge({ endpoint, health }: EndpointWithHealth) {
  if (endpoint.disabled) return <Badge color="gray">disabled</Badge>;
  if (health?.failingSince) return <Badge color="red">failing</Badge>;
  if (health?.lastSuccessAt) return <Badge color="teal">working</Badge>;
  return <Badge color="blue">unused</Badge>;
}
