import type { Connection } from '@hocuspocus/server';
import { getState } from 'yjs';
import type { ClientClocks, UpdateFacts } from '../../features/crdt/client-ids.ts';
import { MAX_DOCUMENT_BYTES } from '../../features/crdt/worker/jobs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Status } from '../../platform/errors.ts';
import { claimClients } from '../documents/claim-clients.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { encodeInTurns, NOTHING_KNOWN } from '../documents/encode-in-turns.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveContext } from '../live-context.ts';

/** What a full document still takes, so that its users can make room in it. */
const SMALL_EDIT_BYTES = 1_024;
const ROOM_FOR_SMALL_EDITS = 1_024 * 1_024;
const MAX_SUBDOCUMENTS = 500;
/** Of a value that is set as a whole. Drawings and tables of editors hold some thousand. */
const MAX_VALUES_IN_ONE = 50_000;

interface Parts {
  db: Database;
  clock: Clock;
  store: DocumentStore;
}

/** What somebody wants to bring into a document. */
interface Edits extends UpdateFacts {
  bytes: number;
  parts: readonly Uint8Array[];
  /** Whether it is all that a client has, and not what it has just written. */
  isWhole: boolean;
}

/** Why edits must not get into a document, if that is so. */
export async function problemWith(
  parts: Parts,
  connection: Connection<LiveContext>,
  { clocks, subdocuments, heaviest, bytes, parts: edits, isWhole }: Edits,
): Promise<Status | undefined> {
  const open = parts.store.find(connection.document);
  if (!open) return undefined;
  if (isTombstoned(open, clocks)) return 'NOT_FOUND';
  if (heaviest > MAX_VALUES_IN_ONE) return 'RESOURCE_EXHAUSTED';
  if (hasTooMany(open, subdocuments) || (await isTooMuch(open, bytes))) return 'RESOURCE_EXHAUSTED';
  return connection.readOnly
    ? undefined
    : claimClients(parts, { open, connection, clocks, parts: edits }, isWhole);
}

/**
 * An editor that was deleted must not come back because somebody still has it in memory: edits of
 * clients that had written to it are refused. Whoever loads the page anew has a new client.
 */
const isTombstoned = ({ deletedClients }: OpenDocument, clocks: ClientClocks): boolean =>
  deletedClients.size > 0 && [...clocks.keys()].some((client) => deletedClients.has(client));

/** Each is a document of its own in memory, which Yjs makes anew whenever it reads the update. */
function hasTooMany(
  { document }: OpenDocument,
  subdocuments: UpdateFacts['subdocuments'],
): boolean {
  if (subdocuments.length === 0) return false;
  const isNew = (id: { client: number; clock: number }) =>
    id.clock >= getState(document.store, id.client);
  return document.subdocs.size + subdocuments.filter(isNew).length > MAX_SUBDOCUMENTS;
}

/** Measured only when what has come in since the last time may have been too much. */
async function isTooMuch(open: OpenDocument, bytes: number): Promise<boolean> {
  const limit = MAX_DOCUMENT_BYTES + (bytes <= SMALL_EDIT_BYTES ? ROOM_FOR_SMALL_EDITS : 0);
  if (open.sizeBytes + bytes <= limit) return false;
  open.sizeBytes = (await encodeInTurns(open.document, NOTHING_KNOWN)).length;
  return open.sizeBytes + bytes > limit;
}
