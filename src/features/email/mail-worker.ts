import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { nowIf } from '../../platform/loops/due-work.ts';
import { SMTP_CONNECTIONS } from '../../platform/mail/smtp-mailer.ts';
import type { Worker } from '../../platform/worker.ts';
import { MailLane } from './mail-lane.ts';

/**
 * Mails that wait are looked through every second. When the earliest is due is in no index, since
 * those that were sent have a time as well.
 */
const anyWaiting = () => nowIf(sql`EXISTS (SELECT FROM mails WHERE state = 'waiting')`);

const LANES = [
  { service: 'default', slots: SMTP_CONNECTIONS, slotsOfTenant: 5 },
  { service: 'external', slots: 32, slotsOfTenant: 4 },
] as const;

/** Sends what is in the queue of mails. */
export const mailWorker: Worker<Services> = {
  start(services) {
    const lanes = LANES.map((lane) => new MailLane(services, lane));
    const wake = () => {
      for (const lane of lanes) lane.wake();
    };
    for (const lane of lanes) lane.start();
    const leaveDueWork = services.dueWork.watch(anyWaiting, wake);
    services.wakeUps.on('mails', wake);
    return {
      async stop() {
        leaveDueWork();
        services.wakeUps.off('mails', wake);
        await Promise.all(lanes.map((lane) => lane.stop()));
      },
    };
  },
};
