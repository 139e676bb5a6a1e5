import { hashKey, QueryClient } from '@tanstack/query-core';
import type { CollaborationClient } from '../create-client.ts';
import { Semaphore } from '../semaphore.ts';
import { SharedRuns } from '../shared-runs.ts';
import { transportOf } from '../transport.ts';
import { readOptions } from './reads.ts';

/** The state that all live values (`Live`) of a client share. */
export interface Collaboration {
  client: CollaborationClient;
  cache: QueryClient;
  /** Work that runs once for all live values that need it, such as a subscription. */
  runs: SharedRuns;
  /** Returns the value that was made under this name, or makes it. */
  share<Value>(name: string, make: () => Value): Value;
  /** The replies that this client wrote and the server has stored, as `annotationId/commentId`. */
  ownReplies: Set<string>;
}

/** Identifies a document. */
export interface DocumentRef {
  organizationId: string;
  documentId: string;
}

/** Returns a function that makes the cache key of one kind of data for a document. */
export const documentKey =
  (kind: string) =>
  ({ organizationId, documentId }: DocumentRef): string[] => [kind, organizationId, documentId];

/** Kept here and not in a component: a framework may discard a component before it is ever shown. */
const collaborations = new WeakMap<CollaborationClient, Collaboration>();

/** Returns the shared state of a client. The first call makes it. */
export function collaborationOf(client: CollaborationClient): Collaboration {
  const existing = collaborations.get(client);
  if (existing) return existing;
  const { network } = transportOf(client);
  const cache = new QueryClient({ defaultOptions: { queries: readOptions(network) } });
  // `replaceWrite` and `removeWrite` compare pending writes by identity, and structural sharing would copy them.
  cache.setQueryDefaults(['changes'], { structuralSharing: false });
  const shared = new Map<string, unknown>();
  const share = <Value>(name: string, make: () => Value): Value => {
    if (!shared.has(name)) shared.set(name, make());
    return shared.get(name) as Value;
  };
  const ownReplies = new Set<string>();
  const collaboration = { client, cache, runs: new SharedRuns(), share, ownReplies };
  collaborations.set(client, collaboration);
  return collaboration;
}

/** Returns the semaphore that lets only one write to a subject, such as a document, run at a time. */
export const writeQueueOf = ({ share }: Collaboration, subject: unknown): Semaphore =>
  share(hashKey(['writes', subject]), () => new Semaphore(1));
