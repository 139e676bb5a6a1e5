import { setTimeout as wait } from 'node:timers/promises';
import { diffUpdate, encodeStateVector, getState } from 'yjs';
import type { Services } from '../../api/context.ts';
import {
  type ClientClocks,
  clientsWithNewItems,
  isServerClient,
} from '../../features/crdt/client-ids.ts';
import { claimClientOwners, readClientOwners } from '../../features/crdt/log/client-owners.ts';
import type { Status } from '../../platform/errors.ts';
import { nextLongTurn } from '../../platform/event-loop.ts';
import { waitFor } from '../../platform/wait-for.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveConnection } from '../live-connection.ts';
import type { AwarenessGuard } from '../presence/awareness-guard.ts';
import { hasSameItems } from './known-items.ts';

/** More Yjs clients than a user needs in a document; each is a row in the database. */
const MAX_NEW_CLIENTS = 10_000;
const LOOKUP_TIMEOUT_MS = 1_000;
/** How long edits wait for their author. Clients of a crashed process take this long to reconnect. */
const AUTHOR_WAIT_MS = 5_000;
const RETRY_MS = 250;

export interface ClaimDependencies extends Pick<Services, 'db' | 'clock'> {
  store: DocumentStore;
  guard: AwarenessGuard;
}

interface Claim {
  openDoc: OpenDocument;
  connection: LiveConnection;
  clocks: ClientClocks;
  /** The edits, in parts. */
  parts: readonly Uint8Array[];
  /** Whether the edits are the client's whole state, and not just a new edit. */
  isWhole: boolean;
  /** Applies edits that the user may make, given in parts. */
  apply: (parts: readonly Uint8Array[]) => Promise<unknown>;
}

/**
 * A Yjs client id belongs to the user who first wrote to the document with it. Items of another user's
 * client are refused unless the document already has them: Yjs keeps the first item that it sees at a
 * clock, so a forged item would displace the true one that its author sends later.
 *
 * A reconnecting client may hold edits of other users that have not arrived here yet, for example because
 * the process that broadcast them has crashed. Its state then waits for the authors of these edits. The
 * user's own edits in it are applied at once: otherwise two users whose clients hold each other's edits
 * would wait for each other.
 *
 * @returns the status with which the edits are refused; undefined if they may be applied
 */
export async function claimClients(
  deps: ClaimDependencies,
  claim: Claim,
): Promise<Status | undefined> {
  const writersBefore = writersOf(claim);
  let refusal = await tryToClaim(deps, claim);
  if (refusal === 'PERMISSION_DENIED') {
    if (claim.isWhole) await claim.apply(await ownEdits(claim));
    refusal = await retryClaim(deps, claim);
  }
  if (refusal || claim.isWhole || isSameAsKnown(claim, writersBefore)) return refusal;
  return 'PERMISSION_DENIED';
}

/**
 * Claims the clients again, each time after reading what others have stored: once for a new edit, and
 * repeatedly for a whole state, until the edits of the other authors have arrived.
 */
async function retryClaim(deps: ClaimDependencies, claim: Claim): Promise<Status | undefined> {
  const { openDoc, connection, isWhole } = claim;
  const deadline = performance.now() + (isWhole ? AUTHOR_WAIT_MS : 0);
  while (openDoc.document.hasConnection(connection)) {
    // If the database is unreachable, the author may still bring the edits.
    await deps.store.catchUp([openDoc]).catch(() => undefined);
    await deps.store.reconcile(openDoc);
    const refusal = await tryToClaim(deps, claim);
    if (refusal !== 'PERMISSION_DENIED') return refusal;
    if (performance.now() >= deadline) return isWhole ? 'UNAVAILABLE' : refusal;
    await wait(RETRY_MS);
  }
  return 'PERMISSION_DENIED';
}

/**
 * Whether the items of other users' clients, among the writers, are the same in the edits and the document.
 * Forged items differ from those that the true authors may have sent while the claim waited.
 */
function isSameAsKnown(claim: Claim, writers: readonly number[]): boolean {
  const { openDoc, parts } = claim;
  const foreign = new Set(writers.filter((client) => !isOwn(claim, client)));
  return foreign.size === 0 || parts.every((part) => hasSameItems(openDoc.document, part, foreign));
}

/** Returns the part of the edits that was written with the user's clients, and all deletions. */
async function ownEdits(claim: Claim): Promise<Uint8Array[]> {
  const { clocks, parts } = claim;
  const others = [...clocks].filter(([client]) => !isOwn(claim, client));
  const withoutOthers = encodeStateVector(new Map(others));
  const own: Uint8Array[] = [];
  for (const part of parts) {
    await nextLongTurn();
    own.push(diffUpdate(part, withoutOthers));
  }
  return own;
}

/** Claims the unowned clients of the edits. @returns the status with which the edits are refused for now */
async function tryToClaim(deps: ClaimDependencies, claim: Claim): Promise<Status | undefined> {
  if (writersOf(claim).every((client) => isOwn(claim, client))) return undefined;
  const unowned = writersOf(claim).filter((client) => hasUnknownOwner(claim, client));
  if (unowned.length > MAX_NEW_CLIENTS) return 'RESOURCE_EXHAUSTED';
  if (unowned.length > 0) await storeOwners(deps, claim, unowned);
  // Meanwhile others may have claimed some of the clients, or brought their items.
  const writers = writersOf(claim);
  const isForeign = (client: number) =>
    hasUnknownOwner(claim, client) ? isShownByAnother(deps, claim, client) : !isOwn(claim, client);
  if (writers.some(isForeign)) return 'PERMISSION_DENIED';
  const stillUnowned = writers.filter((client) => hasUnknownOwner(claim, client));
  claim.openDoc.owners.claim(stillUnowned, claim.connection.session.userId);
  return undefined;
}

const isShownByAnother = (
  { guard }: ClaimDependencies,
  { openDoc: { document }, connection }: Claim,
  clientId: number,
) => {
  const { userId } = connection.session;
  return guard.isShownByAnother({ document, connection, clientId, userId });
};

const writersOf = ({ openDoc, clocks }: Claim): number[] =>
  clientsWithNewItems(openDoc.document, clocks);

const isOwn = ({ openDoc, connection }: Claim, client: number): boolean =>
  openDoc.owners.get(client) === connection.session.userId;

const hasUnknownOwner = ({ openDoc }: Claim, client: number): boolean =>
  openDoc.owners.get(client) === undefined && !isServerClient(client);

/**
 * Stores new owners of clients at once: if two users claim the same client at two processes, the second
 * one is refused before anybody sees the edit. While the database is unreachable, new clients may begin to
 * write. Their edits are stored later, unless the clients belong to others by then.
 */
async function storeOwners(
  deps: ClaimDependencies,
  claim: Claim,
  clients: readonly number[],
): Promise<void> {
  const { openDoc, connection } = claim;
  const { document } = openDoc;
  for (;;) {
    const isClaimed = claimInDatabase(deps, claim, clients).then(
      () => true,
      () => false,
    );
    if (await waitFor(isClaimed, LOOKUP_TIMEOUT_MS)) return;
    if (clients.every((client) => getState(document.store, client) === 0)) return;
    if (!document.hasConnection(connection)) return;
    await wait(RETRY_MS);
  }
}

/** Claims clients in the database. Clients that another user shows here are not claimed, only looked up. */
async function claimInDatabase(deps: ClaimDependencies, claim: Claim, clients: readonly number[]) {
  const { db, clock } = deps;
  const { openDoc, connection } = claim;
  const { name, owners } = openDoc;
  const { userId } = connection.session;
  const shown = new Set(clients.filter((client) => isShownByAnother(deps, claim, client)));
  const free = clients.filter((client) => !shown.has(client));
  if (shown.size > 0) owners.addStored(await readClientOwners(db, name, [...shown]));
  if (free.length === 0) return;
  const now = new Date(clock.now());
  const claimed = await claimClientOwners(db, {
    name,
    logId: openDoc.logId,
    clients: free,
    userId,
    now,
  });
  if (!claimed) return;
  openDoc.logId ??= claimed.logId;
  owners.addStored(claimed.owners);
}
