import type { LoggedEvent } from '../events/logged-events.ts';

export interface OrganizationKey {
  tenantId: string;
  organizationId: string;
}

/** The topic of a subscription: events of these types, on one document or in the whole organization. */
export interface Topic extends OrganizationKey {
  documentId: string | undefined;
  types: readonly string[];
}

/** An event in a `TopicBuffer`. */
export interface LiveEvent extends LoggedEvent {
  position: bigint;
  /** The length of the event's data as JSON, in bytes. */
  size: number;
}

/** The key of a topic among those of its organization. */
export const keyOfTopic = ({ documentId, types }: Pick<Topic, 'documentId' | 'types'>): string =>
  JSON.stringify([documentId ?? null, ...types]);

export const keyOfOrganization = ({ tenantId, organizationId }: OrganizationKey): string =>
  JSON.stringify([tenantId, organizationId]);
