import type { Services } from '../../api/context.ts';
import { type AccessFacts, loadAccess } from '../../features/access/load-access.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { OpenDocument } from '../documents/open-document.ts';
import type { LiveHocuspocus } from '../hocuspocus-internals.ts';
import { connectionsTo, type LiveConnection, mayOnlyRead } from '../live-connection.ts';
import { setReadOnly } from './read-only.ts';

interface Dependencies extends Pick<Services, 'db' | 'clock'> {
  hocuspocus: LiveHocuspocus;
}

/** Loads the current access of all users who have one of these documents open, and applies it. */
export async function recheckAccess(
  deps: Dependencies,
  documents: readonly OpenDocument[],
): Promise<void> {
  const organizations = Map.groupBy(documents, ({ name }) =>
    JSON.stringify([name.tenantId, name.organizationId]),
  );
  for (const documentsOfOrganization of organizations.values())
    await recheckOrganization(deps, documentsOfOrganization);
}

/**
 * Checks the documents of one organization, whose facts are loaded together. Users who connect while
 * the facts are loaded are left out, since connecting loads newer facts.
 */
async function recheckOrganization(
  { db, clock, hocuspocus }: Dependencies,
  documents: OpenDocument[],
): Promise<void> {
  const [first] = documents;
  if (!first) return;
  const { tenantId, organizationId } = first.name;
  const opened = documents.map((openDoc) => ({
    openDoc,
    connections: connectionsTo(openDoc.document),
  }));
  const userIds = opened.flatMap(({ connections }) =>
    connections.map(({ session }) => session.userId),
  );
  const facts = await loadAccess(db, {
    tenantId,
    organizationId,
    userIds: [...new Set(userIds)],
    folderIds: [],
    documentIds: [...new Set(documents.map(({ name }) => name.documentId))],
  });
  const now = unixSeconds(clock);
  for (const { openDoc, connections } of opened) {
    const { documentId } = openDoc.name;
    // The facts omit a document that was deleted, or is being deleted.
    if (facts.resource('document', documentId)) applyAccess(connections, facts, documentId, now);
    else await hocuspocus.evict(openDoc.document, () => 'NOT_FOUND');
  }
}

function applyAccess(
  connections: LiveConnection[],
  facts: AccessFacts,
  documentId: string,
  now: number,
) {
  for (const connection of connections) {
    const { session } = connection;
    const access = facts.accessToDocument(session.userId, documentId, now);
    if (access?.allowed) {
      session.accessExpiresAt = access.grant?.expiresAt ?? undefined;
      session.isEditor = access.accessRole === 'editor';
      setReadOnly(connection, mayOnlyRead(session));
    } else {
      connection.closeFor('PERMISSION_DENIED');
    }
  }
}
