import type { Connection } from '@hocuspocus/server';
import { getState } from 'yjs';
import { type ClientClocks, isServerClient } from '../features/crdt/client-ids.ts';
import { readClientOwners } from '../features/crdt/log/client-owners.ts';
import type { Database } from '../platform/database/database.ts';
import type { Status } from '../platform/errors.ts';
import { isShownByAnother } from './awareness-guard.ts';
import type { DocumentStore } from './document-store.ts';
import type { LiveContext } from './live-context.ts';
import type { OpenDocument } from './open-document.ts';
import { wait } from './wait.ts';

/** More than anybody has used on one document; each is a row in the database. */
const MAX_NEW_CLIENTS = 10_000;
const LOOKUP_MS = 1_000;
/** As long as clients of a process that died take to come back, its author among them. */
const AUTHOR_MS = 5_000;
const RETRY_MS = 250;

interface Parts {
  db: Database;
  store: DocumentStore;
}

interface Claim {
  open: OpenDocument;
  connection: Connection<LiveContext>;
  clocks: ClientClocks;
  userId: string;
}

/**
 * A Yjs client id belongs to the user who first wrote to the document with it. Items of another
 * user's client are refused unless the document has them already: Yjs takes the first item that it
 * sees at a clock, so a forged one would make the true one vanish when its author sends it.
 *
 * A client may know edits of others that are still on their way here, as after the process died
 * that showed them, so what it says when it comes back may wait for their author.
 */
export async function claimClients(
  parts: Parts,
  claim: Omit<Claim, 'userId'>,
  mayWait: boolean,
): Promise<Status | undefined> {
  const { open, connection } = claim;
  const userId = connection.context.session?.userId;
  if (userId === undefined) return 'PERMISSION_DENIED';
  const until = performance.now() + (mayWait ? AUTHOR_MS : 0);
  for (let attempt = 0; ; attempt++) {
    const problem = await tryToClaim(parts, { ...claim, userId });
    if (problem !== 'PERMISSION_DENIED') return problem;
    if (attempt > 0 && performance.now() >= until) return problem;
    if (attempt > 0) await wait(RETRY_MS);
    if (!open.document.hasConnection(connection)) return problem;
    // While the database is away there is nothing to be found there.
    await parts.store.catchUp(open).catch(() => undefined);
  }
}

async function tryToClaim(parts: Parts, claim: Claim): Promise<Status | undefined> {
  const { open, connection, userId } = claim;
  const { owners, document } = open;
  if (clientsWithNews(claim).every((client) => owners.get(client) === userId)) return undefined;
  const unknown = clientsWithNews(claim).filter((client) => isUnknown(open, client));
  if (unknown.length > MAX_NEW_CLIENTS) return 'RESOURCE_EXHAUSTED';
  if (unknown.length > 0) await learnOwners(parts.db, open, unknown, connection);
  const news = clientsWithNews(claim);
  const isForeign = (client: number) =>
    isUnknown(open, client)
      ? isShownByAnother({ document, connection, clientId: client, userId })
      : owners.get(client) !== userId;
  if (news.some(isForeign)) return 'PERMISSION_DENIED';
  owners.claim(
    news.filter((client) => isUnknown(open, client)),
    userId,
  );
  return undefined;
}

const clientsWithNews = ({ open, clocks }: Claim): number[] =>
  [...clocks]
    .filter(([client, clock]) => clock > getState(open.document.store, client))
    .map(([client]) => client);

const isUnknown = ({ owners }: OpenDocument, client: number): boolean =>
  owners.get(client) === undefined && !isServerClient(client);

/**
 * While the database is away, clients that have not written yet may begin: once it is back, their
 * edits are stored only if they are nobody else's.
 */
async function learnOwners(
  db: Database,
  open: OpenDocument,
  clients: readonly number[],
  connection: Connection<LiveContext>,
): Promise<void> {
  const { document, name, owners } = open;
  const lookUp = () =>
    Promise.race([readClientOwners(db, name, clients), wait(LOOKUP_MS)]).catch(() => undefined);
  for (;;) {
    const found = await lookUp();
    if (found) return owners.learn(found);
    if (clients.every((client) => getState(document.store, client) === 0)) return;
    if (!document.hasConnection(connection)) return;
    await wait(RETRY_MS);
  }
}
