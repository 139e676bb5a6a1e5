import type { Services } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import { eventsAt } from '../../platform/events/logged-events.ts';
import { isAnnotationEvent } from '../notifications/generate/annotation-event.ts';
import { dropStale } from '../notifications/generate/drop-stale.ts';
import type { ClaimedMail } from './claim-mails.ts';
import { type SelectedMail, selectMails } from './select-mails.ts';
import { type EmailService, usedEmailServices } from './settings/email-config.ts';
import { loadWrittenByUsers, type WrittenByUsers } from './trusted-links.ts';

/**
 * A claimed mail with its content and service. `ready` is undefined if the mail is to be dropped.
 */
export interface PreparedMail {
  claimed: ClaimedMail;
  ready: { service: EmailService; selected: ReadyMail } | undefined;
}

/** A mail, and which parts of it users wrote. */
export interface ReadyMail extends SelectedMail {
  byUsers: WrittenByUsers;
}

/**
 * Checks each mail again just before it is sent: its comment may have been deleted or hidden, and
 * its recipient's preferences may have changed since it was queued.
 */
export async function prepareMails(ctx: Services, claimed: ClaimedMail[]): Promise<PreparedMail[]> {
  const byTenant = Map.groupBy(claimed, ({ tenantId }) => tenantId);
  const services = await usedEmailServices(ctx, ctx.db, [...byTenant.keys()]);
  const prepared: PreparedMail[] = [];
  for (const [tenantId, own] of byTenant) {
    const service = services.get(tenantId);
    const selected = service ? await selectAgain(ctx, tenantId, service, own) : new Map();
    for (const mail of own) {
      const found = selected.get(keyOf(mail.sequence, mail.userId));
      const ready = service && found ? { service, selected: found } : undefined;
      prepared.push({ claimed: mail, ready });
    }
  }
  return prepared;
}

async function selectAgain(
  { db, clock }: Services,
  tenantId: string,
  { triggers }: EmailService,
  claimed: ClaimedMail[],
): Promise<Map<string, ReadyMail>> {
  const sequences = new Set(claimed.map(({ sequence }) => sequence));
  const places = [...sequences].map((sequence) => ({ tenantId, sequence }));
  const mails = await db.transaction(async (tx) => {
    const happened = (await eventsAt(tx, places)).filter(isAnnotationEvent);
    // Use the comments as they are now, so that retracted or corrected text is not sent.
    const events = await dropStale(tx, tenantId, happened);
    const selected = await selectMails(tx, { tenantId, triggers, events, now: unixSeconds(clock) });
    const about = selected.map(({ event }) => event.data);
    const byUsers = await loadWrittenByUsers(tx, tenantId, about);
    return selected.map((mail) => ({ ...mail, byUsers }));
  });
  return new Map(
    mails.map((mail) => [keyOf(mail.event.sequence, mail.recipient.user.userId), mail]),
  );
}

const keyOf = (sequence: string, userId: string): string => `${sequence}:${userId}`;
