import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Place } from '../core/collaboration.ts';
import type { CollaborationClient } from '../create-client.ts';

const ClientContext = createContext<CollaborationClient | undefined>(undefined);
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
  const place = useMemo(() => ({ organizationId }), [organizationId]);
  return (
    <ClientContext.Provider value={client}>
      <PlaceContext.Provider value={place}>{children}</PlaceContext.Provider>
    </ClientContext.Provider>
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

/** The client of the `CollaborationProvider`. @throws outside of one */
export function useClient(): CollaborationClient {
  const client = useContext(ClientContext);
  if (!client) throw new TypeError('This hook needs a <CollaborationProvider> around it.');
  return client;
}

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
