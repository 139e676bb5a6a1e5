import type { Transaction } from '../../../platform/database/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import { updateEvent } from '../update-event.ts';
import type { Append } from './append.ts';
import type { Written } from './write-updates.ts';

/** Writes the events of appended updates that are to be published now. */
export async function publishUpdates(
  tx: Transaction,
  events: EventLog,
  appends: readonly Append[],
  written: readonly Written[],
): Promise<void> {
  const published = written.flatMap(({ position, isPublished, folderId, version, updatedAt }) => {
    const { name, content, userId = null } = appends[position] ?? {};
    if (!isPublished || !name || !content || version === null) return [];
    const facts = { folderId, version, updatedAt, updatedBy: userId };
    return [{ tenantId: name.tenantId, event: updateEvent(name, facts, content) }];
  });
  for (const [tenantId, own] of Map.groupBy(published, ({ tenantId }) => tenantId)) {
    const newEvents = own.map(({ event }) => event);
    await events.append(tx, tenantId, newEvents);
  }
}
