import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { DocumentRef } from '../core/collaboration.ts';
import type { CollaborationClient } from '../create-client.ts';
import { clientOf, documentOf, type Scope } from '../scope.ts';

const ScopeContext = createContext<Scope>({});

/** Returns the client, organization and document that the providers around the component set. */
export const useScope = (): Scope => useContext(ScopeContext);

export interface CollaborationProviderProps {
  client: CollaborationClient;
  /** The organization of inboxes, and of documents whose `DocumentProvider` sets no other. */
  organizationId?: string | undefined;
  children?: ReactNode;
}

/** Sets the client for all hooks below. Hooks with the same client share one cache. */
export function CollaborationProvider({
  client,
  organizationId,
  children,
}: CollaborationProviderProps): ReactNode {
  const scope = useMemo(() => ({ client, organizationId }), [client, organizationId]);
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}

export interface DocumentProviderProps {
  documentId: string;
  /** The organization of the document; by default that of the `CollaborationProvider`. */
  organizationId?: string | undefined;
  children?: ReactNode;
}

/** Sets the document for all hooks below. */
export function DocumentProvider({
  documentId,
  organizationId: given,
  children,
}: DocumentProviderProps): ReactNode {
  const { client, organizationId: outer } = useScope();
  const organizationId = given ?? outer;
  const scope = useMemo(
    () => ({ client, organizationId, documentId }),
    [client, organizationId, documentId],
  );
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>;
}

/** The client of the `CollaborationProvider`. @throws outside of a `CollaborationProvider` */
export const useClient = (): CollaborationClient => clientOf(useScope());

/** The document of the `DocumentProvider`. @throws outside of a `DocumentProvider` */
export function useDocumentRef(): DocumentRef {
  const scope = useScope();
  return useMemo(() => documentOf(scope), [scope]);
}
