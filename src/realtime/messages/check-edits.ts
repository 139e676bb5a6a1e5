import { getState } from 'yjs';
import { clientsWithNewItems } from '../../features/crdt/client-ids.ts';
import type { UpdateFacts } from '../../features/crdt/update-facts.ts';
import type { Status } from '../../platform/errors.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveConnection } from '../live-connection.ts';
import { type ClaimDependencies, claimClients } from './claim-clients.ts';

const MAX_SUBDOCUMENTS = 500;
/** The most values inside one value that is set as a whole. Drawings have a few thousand. */
const MAX_NESTED_VALUES = 50_000;

/** Edits that a client sends for a document. */
interface SentEdits extends UpdateFacts {
  payload: Uint8Array;
  /** The payload in parts. */
  parts: readonly Uint8Array[];
  /** Whether the edits are the client's whole state, and not just a new edit. */
  isWhole: boolean;
  /** Applies some of the edits, in parts. */
  apply: (parts: readonly Uint8Array[]) => Promise<unknown>;
}

/**
 * Returns why edits must be refused, or undefined when they may be applied. The caller
 * releases the room that large edits have reserved (`DocumentSize.accept`) once it has applied them.
 */
export async function checkEdits(
  deps: ClaimDependencies,
  connection: LiveConnection,
  { clocks, subdocuments, maxValueWeight, payload, parts, isWhole, apply }: SentEdits,
): Promise<Status | undefined> {
  const openDoc = deps.store.find(connection.document);
  if (!openDoc) return undefined;
  // A page that still has deleted content in memory cannot write: only a reload gives it a new Yjs client.
  if (openDoc.mayRestoreDeleted(clocks.keys())) return 'NOT_FOUND';
  if (maxValueWeight > MAX_NESTED_VALUES) return 'RESOURCE_EXHAUSTED';
  if (hasTooManySubdocuments(openDoc, subdocuments)) return 'RESOURCE_EXHAUSTED';
  // Edits of readers are not applied, so they need neither room nor owners.
  if (connection.readOnly) return undefined;
  // Edits that only delete need no room. A client that reconnects sends all deletions again.
  const addsItems = clientsWithNewItems(openDoc.document, clocks).length > 0;
  if (addsItems && !(await openDoc.size.accept(payload))) return 'RESOURCE_EXHAUSTED';
  const applyEarly = async (own: readonly Uint8Array[]) => {
    await apply(own);
    // The user's own edits, now in the document, must not count twice while the other edits wait for their author.
    openDoc.size.release(payload);
  };
  return claimClients(deps, { openDoc, connection, clocks, parts, isWhole, apply: applyEarly });
}

/** Limits subdocuments: whenever Yjs reads the update, it creates all of them again in memory. */
function hasTooManySubdocuments(
  { document }: OpenDocument,
  subdocuments: UpdateFacts['subdocuments'],
): boolean {
  if (subdocuments.length === 0) return false;
  const isNew = (id: { client: number; clock: number }) =>
    id.clock >= getState(document.store, id.client);
  return document.subdocs.size + subdocuments.filter(isNew).length > MAX_SUBDOCUMENTS;
}
