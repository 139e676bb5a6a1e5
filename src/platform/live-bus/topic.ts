import type { LoggedEvent } from '../events/event-log.ts';

/** The documents of an organization of a tenant: where one subscription's events come from. */
export interface Neighbourhood {
  tenantId: string;
  organizationId: string;
}

/** What a subscription follows: events of these types, of one document or of all. */
export interface Topic extends Neighbourhood {
  documentId: string | undefined;
  types: readonly string[];
}

/** An event that waits in memory for those who follow it. */
export interface LiveEvent extends LoggedEvent {
  position: bigint;
  /** What its data take as JSON. */
  size: number;
}

export const keyOfTopic = ({ documentId, types }: Pick<Topic, 'documentId' | 'types'>): string =>
  JSON.stringify([documentId ?? null, ...types]);

export const keyOfNeighbourhood = ({ tenantId, organizationId }: Neighbourhood): string =>
  JSON.stringify([tenantId, organizationId]);
