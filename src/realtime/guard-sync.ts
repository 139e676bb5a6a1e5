import type { beforeSyncPayload } from '@hocuspocus/server';
import { parseUpdateMeta } from 'yjs';
import type { DocumentStore } from './document-store.ts';
import type { LiveContext } from './live-context.ts';
import { closing } from './refusal.ts';

/** The first message of the protocol asks; the others bring edits. */
const ASKS = 0;

/**
 * An editor that was deleted must not come back because somebody still has it in memory: edits of
 * clients that had written to it are refused. Whoever loads the page anew has a new client.
 */
export function guardSync(
  store: DocumentStore,
  { type, payload, document, connection }: beforeSyncPayload<LiveContext>,
): void {
  const buried = store.find(document)?.buried;
  if (type === ASKS || !buried || buried.size === 0) return;
  const { from } = parseUpdateMeta(payload);
  if (![...from.keys()].some((client) => buried.has(client))) return;
  // Hocuspocus would apply the message even so, and a hook that throws writes to the console.
  connection.readOnly = true;
  connection.close(closing('NOT_FOUND'));
}
