import type { KeyContext } from '../../../api/context.ts';
import { sql } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { EventType } from '../../../platform/events/event-types.ts';
import { newId } from '../../../platform/ids.ts';
import { createOutboundAgent } from '../../../platform/outbound/agent.ts';
import { endpointNotFound } from '../endpoints/require-endpoint.ts';
import { bodyOf } from './bodies.ts';
import { destinationOf, type SettingsRow, settingsOf } from './destination.ts';
import { type PostResult, post } from './post.ts';

/**
 * Sends the example event of a type to an endpoint, signed like a delivery, and returns the response.
 * Neither event nor delivery is stored, and a failure is not retried.
 *
 * @throws NOT_FOUND for an unknown endpoint; FAILED_PRECONDITION while it is disabled
 */
export async function sendExample(
  ctx: KeyContext,
  endpointId: string,
  { name, example }: Pick<EventType, 'example'> & { name: string },
): Promise<Omit<PostResult, 'retryAfter'>> {
  const destination = destinationOf(ctx, await readSettings(ctx, endpointId));
  if (!destination) {
    throw new AppError('FAILED_PRECONDITION', 'The endpoint is disabled. Enable it first.');
  }
  const now = ctx.clock.now();
  const id = `example-${newId()}`;
  const timestamp = new Date(now).toISOString();
  const event = { id, type: name, timestamp, metadata: { apiKey: ctx.tenantId } };
  const body = bodyOf(event, JSON.stringify(example));
  const { origin, path } = destination;
  const agent = createOutboundAgent(ctx.config.outboundAllowedNetworks);
  try {
    const headers = destination.headers(id, now, body);
    const { retryAfter: _, ...response } = await post(agent, { origin, path, headers, body });
    return response;
  } finally {
    await agent.destroy();
  }
}

async function readSettings({ db, tenantId }: KeyContext, endpointId: string) {
  // The endpoint may have no queue yet, so VALUES stands in for the row that `settingsOf` reads.
  const [row] = await db.query<{ settings: SettingsRow | null }>(sql`
    SELECT (${settingsOf(sql`queue`)}) AS settings
    FROM (VALUES (${tenantId}, ${endpointId})) AS queue(tenant_id, endpoint_id)`);
  if (!row?.settings?.url) throw endpointNotFound();
  return row.settings;
}
