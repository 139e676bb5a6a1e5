import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Place } from '../core/collaboration.ts';
import type { CollaborationClient } from '../create-client.ts';
import { clientOf, placeOf, type Setting } from '../setting.ts';

const SettingContext = createContext<Setting>({});

/** The client, the organization and the document, as far as providers name them. */
export const useSetting = (): Setting => useContext(SettingContext);

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
  const setting = useMemo(() => ({ client, organizationId }), [client, organizationId]);
  return <SettingContext.Provider value={setting}>{children}</SettingContext.Provider>;
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
  const { client, organizationId: outer } = useSetting();
  const organizationId = given ?? outer;
  const setting = useMemo(
    () => ({ client, organizationId, documentId }),
    [client, organizationId, documentId],
  );
  return <SettingContext.Provider value={setting}>{children}</SettingContext.Provider>;
}

/** The client of the `CollaborationProvider`. @throws outside of one */
export const useClient = (): CollaborationClient => clientOf(useSetting());

/** @throws outside a `DocumentProvider` */
export function usePlace(): Place {
  const setting = useSetting();
  return useMemo(() => placeOf(setting), [setting]);
}
