import { QueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import type { CollaborationClient } from '../create-client.ts';
import { SharedRuns } from './shared-runs.ts';

/** The state that all hooks of a client share. */
export interface Collaboration {
  client: CollaborationClient;
  cache: QueryClient;
  runs: SharedRuns;
  /** The replies that answers named, as `annotationId/commentId`. */
  ownReplies: Set<string>;
}

export interface Place {
  organizationId: string;
  documentId: string;
}

/** They outlive components, since React may throw away what it has not shown yet. */
const collaborations = new WeakMap<CollaborationClient, Collaboration>();

const CollaborationContext = createContext<Collaboration | undefined>(undefined);
const PlaceContext = createContext<Partial<Place>>({});

export interface CollaborationProviderProps {
  client: CollaborationClient;
  /** For inboxes, and for documents that name no organization of their own. */
  organizationId?: string;
  children?: ReactNode;
}

/** Gives the client to all hooks below. Hooks with the same client share one cache. */
export function CollaborationProvider({
  client,
  organizationId,
  children,
}: CollaborationProviderProps): ReactNode {
  const collaboration = collaborationOf(client);
  const place = useMemo(() => ({ organizationId }), [organizationId]);
  useEffect(() => {
    const { cache } = collaboration;
    cache.mount();
    return () => cache.unmount();
  }, [collaboration]);
  return (
    <CollaborationContext.Provider value={collaboration}>
      <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>
    </CollaborationContext.Provider>
  );
}

export interface DocumentProviderProps {
  documentId: string;
  /** By default, that of the `CollaborationProvider`. */
  organizationId?: string;
  children?: ReactNode;
}

/** Names the document that the hooks below are about. */
export function DocumentProvider({
  documentId,
  organizationId: given,
  children,
}: DocumentProviderProps): ReactNode {
  const { organizationId: outer } = useContext(PlaceContext);
  const organizationId = given ?? outer;
  const place = useMemo(() => ({ organizationId, documentId }), [organizationId, documentId]);
  return <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>;
}

/** @throws outside a `CollaborationProvider` */
export function useCollaboration(): Collaboration {
  const collaboration = useContext(CollaborationContext);
  if (!collaboration) throw new TypeError('This hook needs a <CollaborationProvider> around it.');
  return collaboration;
}

/** The client of the `CollaborationProvider`, for all that has no hook. */
export const useClient = (): CollaborationClient => useCollaboration().client;

/** The organization and the document, as far as providers name them. */
export const usePlaceIfAny = (): Partial<Place> => useContext(PlaceContext);

/** @throws outside a `DocumentProvider` */
export function usePlace(): Place {
  const { organizationId, documentId } = usePlaceIfAny();
  return useMemo(() => {
    if (documentId !== undefined) return { organizationId: required(organizationId), documentId };
    throw new TypeError('This hook needs a <DocumentProvider> around it.');
  }, [organizationId, documentId]);
}

/** The organization of the nearest provider. @throws where none is named */
export const useOrganizationId = (given?: string): string => {
  const { organizationId } = useContext(PlaceContext);
  return required(given ?? organizationId);
};

function required(organizationId: string | undefined): string {
  if (organizationId !== undefined) return organizationId;
  throw new TypeError('Name the organizationId of the <CollaborationProvider>.');
}

function collaborationOf(client: CollaborationClient): Collaboration {
  const known = collaborations.get(client);
  if (known) return known;
  const cache = new QueryClient();
  // Writes are told apart by identity, which the sharing of structure would change.
  cache.setQueryDefaults(['changes'], { structuralSharing: false });
  const made = {
    client,
    cache,
    runs: new SharedRuns(),
    ownReplies: new Set<string>(),
  };
  collaborations.set(client, made);
  return made;
}
