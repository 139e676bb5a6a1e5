import type { StatusInput } from './input-schemas.ts';

type StatusType = 'default' | 'ongoing' | 'terminal';

/** A status as annotations show it (specification 2.11). */
export interface Status extends Record<string, unknown> {
  id: string;
  type: StatusType;
}

/** The statuses that every key has. Customers may define others. */
const BUILT_IN_STATUSES: Record<string, Status & { name: string }> = {
  OPEN: { id: 'OPEN', name: 'Open', color: '#625DF5', lightColor: '#E7E8FA', type: 'default' },
  IN_PROGRESS: {
    id: 'IN_PROGRESS',
    name: 'In Progress',
    color: '#F5A623',
    lightColor: '#FDF1DC',
    type: 'ongoing',
  },
  RESOLVED: {
    id: 'RESOLVED',
    name: 'Resolved',
    color: '#0DCF82',
    lightColor: '#DCF7EC',
    type: 'terminal',
  },
};

/** Fills in the missing fields of a status from the built-in status with its id, or else with defaults. */
export const completeStatus = (status: StatusInput = { id: 'OPEN' }): Status => {
  const builtIn = Object.hasOwn(BUILT_IN_STATUSES, status.id)
    ? BUILT_IN_STATUSES[status.id]
    : undefined;
  return { name: status.id, type: 'default', ...builtIn, ...status } as Status;
};

/** The decisions about an annotation, by the id of the status that stands for the decision. */
const DECISIONS: Record<string, 'approve' | 'accept' | 'reject'> = {
  APPROVED: 'approve',
  ACCEPTED: 'accept',
  REJECTED: 'reject',
};

/** Returns the decision that a status stands for, if any. Each decision has an event type of its own. */
export const decisionOfStatus = ({ id }: Status) =>
  Object.hasOwn(DECISIONS, id.toUpperCase()) ? DECISIONS[id.toUpperCase()] : undefined;
