import type { Services } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { AnnotationEvent } from '../notifications/generate/annotation-event.ts';
import type { Candidate } from '../notifications/generate/candidates.ts';
import { currentEvents } from '../notifications/generate/current-events.ts';
import { selectRecipients } from '../notifications/generate/recipients.ts';
import type { ClaimedMail, MailKey } from './mails.ts';
import { type EmailService, usedEmailServices } from './settings/email-config.ts';
import { loadWrittenByUsers, type WrittenByUsers } from './trusted-links.ts';

/** A mail to a user who may see the event now, wants mails about it and has an address. */
export interface ReadyMail {
  service: EmailService;
  event: AnnotationEvent;
  recipient: Candidate;
  address: string;
  isByUser: WrittenByUsers;
}

/**
 * Checks each mail again just before it is sent: its comment may have been deleted or hidden, and
 * its recipient's preferences may have changed since it was queued. Comments are as they are now, so
 * that retracted or corrected text is not sent.
 *
 * @returns the claimed mails, each with what to send; undefined if the mail is to be dropped
 */
export async function prepareMails(
  ctx: Services,
  claimed: ClaimedMail[],
): Promise<Array<[ClaimedMail, ReadyMail | undefined]>> {
  const byTenant = Map.groupBy(claimed, ({ tenantId }) => tenantId);
  const services = await usedEmailServices(ctx, ctx.db, [...byTenant.keys()]);
  const ready = new Map<string, ReadyMail>();
  for (const [tenantId, service] of services) {
    const sequences = (byTenant.get(tenantId) ?? []).map(({ sequence }) => sequence);
    await ctx.db.transaction(async (tx) => {
      const events = await currentEvents(tx, tenantId, sequences);
      const query = { tenantId, triggers: service.triggers, events, now: unixSeconds(ctx.clock) };
      const selected = await selectRecipients(tx, query, 'email');
      const annotationIds = selected.map(({ event }) => event.data.annotationId);
      const isByUser = await loadWrittenByUsers(tx, tenantId, annotationIds);
      for (const { event, recipients } of selected) {
        for (const recipient of recipients) {
          const { address, user } = recipient;
          if (address === undefined) continue;
          const key = keyOf({ tenantId, sequence: event.sequence, userId: user.userId });
          ready.set(key, { service, event, recipient, address, isByUser });
        }
      }
    });
  }
  return claimed.map((mail) => [mail, ready.get(keyOf(mail))]);
}

const keyOf = ({ tenantId, sequence, userId }: MailKey) => `${tenantId}:${sequence}:${userId}`;
