import type { Services } from '../../api/context.ts';
import { SMTP_CONNECTIONS } from '../../platform/mail/smtp-mailer.ts';
import type { Worker } from '../../platform/worker.ts';
import { MailLane } from './mail-lane.ts';

/** How late a mail is sent of which nobody told: one whose time has come, or of another process. */
const POLL_INTERVAL_MS = 1_000;

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
    const poll = setInterval(wake, POLL_INTERVAL_MS);
    services.wakeUps.on('mails', wake);
    return {
      async stop() {
        clearInterval(poll);
        services.wakeUps.off('mails', wake);
        await Promise.all(lanes.map((lane) => lane.stop()));
      },
    };
  },
};
