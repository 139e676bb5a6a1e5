import type { KeyContext } from '../../api/context.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { eventsAfter, type LoggedEvent } from '../../platform/events/logged-events.ts';
import { isRemovedAfter } from './retention.ts';
import type { GetEventsInput, PresentedEvent } from './schema.ts';

/**
 * Returns a key's events after a cursor, or from the oldest stored event. Events that were committed
 * before the call are included.
 *
 * @throws OUT_OF_RANGE if events after the cursor were removed because of their age
 */
export async function getEvents(
  ctx: KeyContext,
  { after, types, limit }: GetEventsInput,
): Promise<{ events: PresentedEvent[]; cursor: string }> {
  const { tenantId } = ctx;
  const from = after === undefined ? '0' : openCursor(ctx, after);
  await ctx.events.sequence(tenantId, ctx.db);
  const query = { tenantId, after: from, types: types?.length ? types : null, limit };
  const page = await eventsAfter(ctx.db, query);
  // This is checked after reading, so that it also notices events that were removed during the read.
  if (after !== undefined && (await isRemovedAfter(ctx.db, tenantId, from))) throw cursorTooOld();
  return { events: page.events.map(presentEvent), cursor: sealCursor(ctx, tenantId, page.cursor) };
}

/** Returns an encrypted cursor. The number is padded, since its length would reveal how many events there are. */
export const sealCursor = (
  { secrets }: Pick<KeyContext, 'secrets'>,
  tenantId: string,
  sequence: string,
): string => secrets.seal(sequence.padStart(DIGITS, '0'), sealContext(tenantId));

/** The number of digits of the largest sequence number. */
const DIGITS = 19;

/**
 * The context in which a tenant's cursors are encrypted. A sequence number counts the events of all tenants, so
 * a readable cursor would reveal how busy the others are.
 */
const sealContext = (tenantId: string) => `events/${tenantId}/cursor`;

function openCursor(ctx: KeyContext, cursor: string): string {
  try {
    return ctx.secrets.open(cursor, sealContext(ctx.tenantId));
  } catch {
    throw invalidField('after', 'is not a cursor of this API key');
  }
}

const cursorTooOld = () =>
  new AppError(
    'OUT_OF_RANGE',
    'Events after this cursor are no longer stored. Leave out `after` to read from the oldest event.',
  );

export const presentEvent = (event: LoggedEvent): PresentedEvent => ({
  id: event.id,
  type: event.type,
  timestamp: event.createdAt.toISOString(),
  metadata: {
    apiKey: event.tenantId,
    ...(event.organizationId !== null && { organizationId: event.organizationId }),
    ...(event.documentId !== null && { documentId: event.documentId }),
  },
  data: event.data,
});
