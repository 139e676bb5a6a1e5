import { z } from 'zod';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import { sendTestMail } from '../../features/email/send-test-mail.ts';
import { createRateLimiter } from '../../platform/limits/rate-limiter.ts';

/** Limits how many test emails a key sends in an hour, since they may go to any address. */
const testEmailLimiter = createRateLimiter(
  {
    seconds: 3_600,
    points: 20,
    keyPrefix: 'test mails',
    refusal: 'Too many test emails. Wait an hour.',
  },
  // Without Redis, each process counts by itself.
  undefined,
);

export const emailsRouter = router({
  sendTest: consoleKeyOperation
    .input(z.strictObject({ to: z.email().max(320) }))
    .mutation(async ({ ctx, input: { to } }) => {
      await testEmailLimiter.consume(ctx.tenantId);
      await sendTestMail(ctx, to);
      return {};
    }),
});
