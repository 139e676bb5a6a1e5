import type { KeyContext } from '../../../api/context.ts';
import { AppError } from '../../../platform/errors.ts';
import { changeStored } from '../change-stored.ts';
import { readPast } from '../history/read-past.ts';
import { requireEditorAccess } from '../require-editor.ts';
import { runJob } from '../worker/run-job.ts';
import type { RestoreVersionInput } from './schema.ts';
import { buildVersion, insertVersion, readVersionSnapshot } from './versions.ts';

/** How many restores of an editor can be undone. */
const MAX_UNDOABLE = 10;
const NO_UPDATES = Buffer.alloc(0);

/**
 * Restores a version, or the content at a point in time, by an ordinary change: later edits stay in the
 * history, and concurrent edits are merged. The previous content becomes a version.
 *
 * @throws NOT_FOUND; OUT_OF_RANGE for a moment that is not stored, or in the future
 */
export async function restoreVersion(ctx: KeyContext, input: RestoreVersionInput): Promise<void> {
  const { versionId, at } = input;
  const name = await requireEditorAccess(ctx, input, 'editor');
  if (at !== undefined && at > ctx.clock.now()) {
    throw new AppError('OUT_OF_RANGE', 'at: The time is in the future.');
  }
  await changeStored(ctx, {
    name,
    make: async (stored) => {
      const past =
        at === undefined
          ? { snapshot: await readVersionSnapshot(ctx.db, name, versionId), rows: NO_UPDATES }
          : await readPast(ctx.db, name, at);
      const change = await runJob(ctx.workerPool, { kind: 'restore', stored, past });
      if (change.parts.length === 0) return change;
      const before = await buildVersion(ctx, stored, 'Before a restore');
      return { ...change, alsoWrite: (tx) => insertVersion(tx, before, MAX_UNDOABLE) };
    },
  });
}
