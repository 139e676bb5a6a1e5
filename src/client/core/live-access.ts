import { hashKey, QueryObserver } from '@tanstack/query-core';
import type { Permission } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, collaborationOf, type DocumentRef } from './collaboration.ts';
import { createLive, type Live, memoizeLast } from './live.ts';
import { oneAttempt } from './reads.ts';
import { loadSelf } from './self.ts';

/** A change to the user's role is noticed within this time, or when the page becomes visible again. */
const POLL_MS = 10_000;

export interface AccessNow {
  /** The user's role on the document; undefined without access, and until it is known. */
  role: 'editor' | 'viewer' | undefined;
  /** Whether the user may comment, react, and set statuses. */
  canComment: boolean;
  /** Whether the user may edit the content. The `canWrite` of an open editor is more exact. */
  canWrite: boolean;
  isLoading: boolean;
  error: CollaborationError | null;
}

/** The user's access to the document, kept up to date. All comments of a page share one live value. */
export function liveAccess(client: CollaborationClient, documentRef: DocumentRef): Live<AccessNow> {
  const collaboration = collaborationOf(client);
  const name = hashKey(['live access', documentRef.organizationId, documentRef.documentId]);
  return collaboration.share(name, () => newAccess(collaboration, documentRef));
}

function newAccess(
  collaboration: Collaboration,
  { organizationId, documentId }: DocumentRef,
): Live<AccessNow> {
  const access = new QueryObserver(collaboration.cache, {
    staleTime: POLL_MS,
    refetchInterval: POLL_MS,
    queryKey: ['access', organizationId, documentId],
    queryFn: async ({ signal }) => {
      const { userId } = await loadSelf(collaboration, organizationId);
      const input = { organizationId, userIds: [userId], documentIds: [documentId] };
      const permissions = await collaboration.client.permissions.get(input, oneAttempt(signal));
      return permissions[userId]?.documents?.[documentId] ?? null;
    },
  });
  // Every comment of a page uses the access. A read that finds no change returns the same object, so that no comment is
  // rendered again.
  const describe = memoizeLast(
    (entry: Permission | null, isLoading: boolean, error: Error | null): AccessNow => ({
      role: entry?.accessRole,
      canComment: entry?.accessRole === 'editor' || entry?.canComment === true,
      canWrite: entry?.accessRole === 'editor',
      isLoading,
      error: error as CollaborationError | null,
    }),
  );
  return createLive(collaboration, {
    sources: [access],
    value: ({ data = null, isPending, error }) => describe(data, isPending, error),
  });
}
