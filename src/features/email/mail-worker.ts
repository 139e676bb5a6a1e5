import type { Services } from '../../api/context.ts';
import { sql } from '../../platform/database/database.ts';
import { nowIf } from '../../platform/loops/due-work.ts';
import { SMTP_CONNECTIONS } from '../../platform/mail/mail.ts';
import type { Worker } from '../../platform/worker.ts';
import { MailQueue } from './mail-queue.ts';

/**
 * Waiting mails are polled every second. No index has the earliest due time, since mails that were
 * sent have a time, too.
 */
const anyWaiting = () => nowIf(sql`EXISTS (SELECT FROM mails WHERE state = 'waiting')`);

const QUEUES = [
  { service: 'default', slots: SMTP_CONNECTIONS, slotsOfTenant: 5 },
  { service: 'external', slots: 32, slotsOfTenant: 4 },
] as const;

/** Sends the queued mails. */
export const mailWorker: Worker<Services> = {
  start(services) {
    const queues = QUEUES.map((options) => new MailQueue(services, options));
    const wake = () => {
      for (const queue of queues) queue.wake();
    };
    for (const queue of queues) queue.start();
    const leaveDueWork = services.dueWork.watch(anyWaiting, wake);
    services.wakeUps.on('mails', wake);
    return {
      async stop() {
        leaveDueWork();
        services.wakeUps.off('mails', wake);
        await Promise.all(queues.map((queue) => queue.stop()));
      },
    };
  },
};
