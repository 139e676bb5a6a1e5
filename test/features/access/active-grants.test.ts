import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isActive } from '../../../src/features/access/access.ts';
import { isActiveGrant } from '../../../src/features/access/active-grant.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { startTestServer } from '../../support/server.ts';

const { db } = (await startTestServer({ ROLES: 'api' })).app.services;

it('SQL and TypeScript agree, to the second, on whether a grant is active', async () => {
  const second = fc.integer({ min: 1_800_000_000, max: 1_800_000_003 });
  const nowMs = fc.tuple(second, fc.integer({ min: 0, max: 999 }));
  await fc.assert(
    fc.asyncProperty(fc.option(second), nowMs, async (expiresAt, [now, ms]) => {
      const clock = { now: () => now * 1000 + ms };
      const [row] = await db.query<{ isActive: boolean }>(sql`
        SELECT ${isActiveGrant(sql`g`, clock)} AS "isActive"
        FROM (SELECT ${expiresAt}::bigint AS expires_at) AS g`);
      const grant = { accessRole: 'viewer' as const, expiresAt, context: null };
      expect(row?.isActive).toBe(isActive(grant, now));
    }),
  );
});
