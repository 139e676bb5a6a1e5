import type { Services } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { eventsAt } from '../../platform/events/event-log.ts';
import { isAnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { dropStale } from '../notifications/generate/drop-stale.ts';
import type { ClaimedMail } from './claim-mails.ts';
import { type EmailService, usedEmailServices } from './settings/email-config.ts';
import { loadWrittenByUsers, type WrittenByUsers } from './trusted-links.ts';
import { type WantedMail, wantedMails } from './wanted-mails.ts';

/** A mail that is still wanted, and how it goes. Undefined: it is to be dropped. */
export interface PreparedMail {
  claimed: ClaimedMail;
  ready: { service: EmailService; wanted: ReadyMail } | undefined;
}

/** A mail with what of it users wrote. */
export interface ReadyMail extends WantedMail {
  byUsers: WrittenByUsers;
}

/**
 * Looks again at everything that decides about each mail, at the last moment: what it is about may
 * have been deleted or hidden, and who gets it may have changed their mind, since it was queued.
 */
export async function prepareMails(ctx: Services, claimed: ClaimedMail[]): Promise<PreparedMail[]> {
  const byTenant = Map.groupBy(claimed, ({ tenantId }) => tenantId);
  const services = await usedEmailServices(ctx, ctx.db, [...byTenant.keys()]);
  const prepared: PreparedMail[] = [];
  for (const [tenantId, own] of byTenant) {
    const service = services.get(tenantId);
    const wanted = service ? await stillWanted(ctx, tenantId, service, own) : new Map();
    for (const mail of own) {
      const found = wanted.get(keyOf(mail.sequence, mail.userId));
      const ready = service && found ? { service, wanted: found } : undefined;
      prepared.push({ claimed: mail, ready });
    }
  }
  return prepared;
}

async function stillWanted(
  { db, clock }: Services,
  tenantId: string,
  { triggers }: EmailService,
  claimed: ClaimedMail[],
): Promise<Map<string, ReadyMail>> {
  const sequences = [...new Set(claimed.map(({ sequence }) => sequence))];
  const mails = await db.transaction(async (tx) => {
    const happened = (await eventsAt(tx, tenantId, sequences)).filter(isAnnotationEvent);
    // With the comments as they read now: what was taken back or put right since is not sent.
    const events = await dropStale(tx, tenantId, happened);
    const wanted = await wantedMails(tx, { tenantId, triggers, events, now: unixSeconds(clock) });
    const about = wanted.map(({ event }) => event.data);
    const byUsers = await loadWrittenByUsers(tx, tenantId, about);
    return wanted.map((mail) => ({ ...mail, byUsers }));
  });
  return new Map(
    mails.map((mail) => [keyOf(mail.event.sequence, mail.recipient.user.userId), mail]),
  );
}

const keyOf = (sequence: string, userId: string): string => `${sequence}:${userId}`;
