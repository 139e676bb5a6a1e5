import type { Services } from '../../../api/context.ts';
import type { EventReader } from '../../../platform/events/event-reader.ts';
import type { LoggedEvent } from '../../../platform/events/logged-events.ts';
import { insertJudgments } from '../judgments/insert-judgments.ts';
import { forgetJob } from './forget-organization.ts';
import { DECIDING_EVENTS, judgmentOf } from './judgment-of.ts';

/**
 * Makes a judgment of every decision about an annotation or a suggestion, and deletes the judgments
 * of deleted organizations. Those of deleted documents stay as precedents of their organization.
 */
export const judgmentReader: EventReader<Services> = {
  name: 'memory',
  types: [...DECIDING_EVENTS, 'organization.delete'],
  async handle({ clock, jobs }, tx, events) {
    for (const [tenantId, own] of byTenant(events)) {
      const judgments = own.flatMap((event) => judgmentOf(event) ?? []);
      await insertJudgments(tx, tenantId, judgments, clock.now());
    }
    await jobs.add(tx, forgetJob, events.flatMap(deletionOf));
  },
};

/** Sorts tenants by id, so that readers lock the rows of several tenants in one order. */
const byTenant = (events: LoggedEvent[]): Array<[string, LoggedEvent[]]> =>
  [...Map.groupBy(events, ({ tenantId }) => tenantId)].sort(([a], [b]) => (a < b ? -1 : 1));

const deletionOf = ({ type, tenantId, organizationId, createdAt }: LoggedEvent) =>
  type === 'organization.delete' && organizationId !== null
    ? [{ tenantId, organizationId, deletedMs: createdAt.getTime() }]
    : [];
