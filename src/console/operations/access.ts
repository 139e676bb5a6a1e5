import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { consoleKeyOperation, router } from '../../api/procedures.ts';
import {
  addPermissions,
  removePermissions,
} from '../../features/permissions/change-permissions.ts';
import { explainPermissions } from '../../features/permissions/explain-permissions.ts';
import { ExplainPermissions } from '../../features/permissions/explain-schema.ts';
import { resourceGrant } from '../../features/permissions/schema.ts';
import { OperationDatabase } from '../../platform/database/operation-database.ts';

const WhatIf = z.strictObject({
  ask: ExplainPermissions,
  change: z.strictObject({ act: z.enum(['add', 'remove']), userId: id, resource: resourceGrant }),
});

export const accessRouter = router({
  /**
   * Explains the access of a user as it would be after `permissions.add` or `permissions.remove`.
   * The explanation is exact, because the operation really runs, in a transaction that is rolled back.
   */
  whatIf: consoleKeyOperation
    .input(WhatIf)
    .query(async ({ ctx: caller, input: { ask, change } }) => {
      const db = new OperationDatabase(caller.db);
      const ctx = { ...caller, db };
      const before = await explainPermissions(ctx, ask);
      const user = { userId: change.userId };
      const input = { user, permissions: { resources: [change.resource] } };
      try {
        await (change.act === 'add' ? addPermissions : removePermissions)(ctx, input);
        return { before, after: await explainPermissions(ctx, ask) };
      } finally {
        await db.rollBack();
      }
    }),
});
