import { QueryClient } from '@tanstack/query-core';
import type { CollaborationClient } from '../create-client.ts';
import { transportOf } from '../transport-of.ts';
import { readOptions } from './reads.ts';
import { SharedRuns } from './shared-runs.ts';

/** The state that everything which shows a client's data shares. */
export interface Collaboration {
  client: CollaborationClient;
  cache: QueryClient;
  runs: SharedRuns;
  /** The replies that answers named, as `annotationId/commentId`. */
  ownReplies: Set<string>;
}

/** A document. */
export interface Place {
  organizationId: string;
  documentId: string;
}

/** They outlive the parts of a page, which a framework may throw away before it shows them. */
const collaborations = new WeakMap<CollaborationClient, Collaboration>();

export function collaborationOf(client: CollaborationClient): Collaboration {
  const known = collaborations.get(client);
  if (known) return known;
  const { network } = transportOf(client);
  const cache = new QueryClient({ defaultOptions: { queries: readOptions(network) } });
  // Writes are told apart by identity, which the sharing of structure would change.
  cache.setQueryDefaults(['changes'], { structuralSharing: false });
  const made = { client, cache, runs: new SharedRuns(), ownReplies: new Set<string>() };
  collaborations.set(client, made);
  return made;
}
