import type { Services } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { sql } from '../../platform/database/database.ts';
import type { EventReader } from '../../platform/events/event-reader.ts';
import { ANNOTATION_EVENTS } from '../comments/annotations/annotation-event.ts';
import { isAnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { countEventsAtOnce } from '../notifications/generate/audience.ts';
import { selectRecipients } from '../notifications/generate/recipients.ts';
import { mailJobs } from './mail-jobs.ts';
import { keysWithEmail, loadUsedEmailServices } from './settings/email-config.ts';

/** Queues an email about an event for each of its recipients who has an address. */
export const mailReader: EventReader<Services> = {
  name: 'email',
  types: ANNOTATION_EVENTS,
  where: sql`tenant_id IN (${keysWithEmail})`,
  limitBatch: countEventsAtOnce,
  async handle(services, tx, events) {
    const { clock, jobs } = services;
    const byTenant = Map.groupBy(events.filter(isAnnotationEvent), ({ tenantId }) => tenantId);
    if (byTenant.size === 0) return;
    const used = await loadUsedEmailServices(services, tx, [...byTenant.keys()]);
    for (const [tenantId, { triggers, config }] of used) {
      const ofTenant = byTenant.get(tenantId) ?? [];
      const query = { tenantId, triggers, events: ofTenant, now: unixSeconds(clock) };
      const mails = (await selectRecipients(tx, query, 'email')).flatMap(({ event, recipients }) =>
        recipients
          .filter(({ address }) => address !== undefined)
          .map(({ user: { userId } }) => ({ tenantId, sequence: event.sequence, userId })),
      );
      await jobs.add(tx, mailJobs[config.type], mails);
    }
  },
};
