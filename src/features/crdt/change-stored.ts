import type { KeyContext } from '../../api/context.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { isAppended } from './log/append-types.ts';
import { appendUpdates } from './log/append-updates.ts';
import { loadStored, type StoredDocument } from './log/load-stored.ts';
import type { Change } from './worker/record-change.ts';

/** A change to stored content, which a job computes. */
interface StoredChange<Outcome> {
  name: LiveDocumentName;
  /** The version that the content must have; undefined: any. */
  ifVersion?: number | undefined;
  /** Computes the change. If it has no parts, nothing is stored. */
  make(stored: StoredDocument): Promise<StorableChange<Outcome>>;
}

interface StorableChange<Outcome> extends Change<Outcome> {
  /** Writes further rows in the transaction that stores the change. */
  alsoWrite?: (tx: Transaction) => Promise<void>;
}

/**
 * Changes the stored content, and merges the committed change into the live document. Use this for
 * content so large that changing it in memory would block the process, and for changes that require a
 * certain version. Concurrent edits are merged as usual. If the content was replaced meanwhile, the
 * change is computed again for the new content.
 *
 * @returns the version after the change, and the outcome of the job
 */
export async function changeStored<Outcome>(
  ctx: KeyContext,
  { name, ifVersion, make }: StoredChange<Outcome>,
): Promise<{ version: number; outcome: Outcome }> {
  for (;;) {
    // Pending edits are stored first, since this change may build on them.
    await ctx.liveDocuments.settle(name);
    const stored = await loadStored(ctx.db, name);
    if (!stored) throw noCrdtData();
    const baseVersion = Number(stored.version);
    if (ifVersion !== undefined && baseVersion !== ifVersion) throw versionConflict();
    const { update, parts, content, outcome, alsoWrite } = await make(stored);
    if (parts.length === 0) return { version: baseVersion, outcome };
    const append = {
      name,
      logId: stored.logId,
      updates: [update],
      count: 1,
      userId: ctx.userId,
      baseVersion,
      conflictsWith: ifVersion === undefined ? 'replacements' : 'anything',
      content,
    } as const;
    const [appended] = await appendUpdates(ctx, [append], alsoWrite);
    if (isAppended(appended)) {
      const change = { update, parts };
      await ctx.db.whenCommitted(() => ctx.liveDocuments.merge(name, change, appended));
      return { version: appended.version, outcome };
    }
    if (ifVersion !== undefined) throw versionConflict();
    // The update claims no Yjs clients, so the only other rejection is `gone`: the editor was deleted.
    if (appended !== 'overtaken') throw noCrdtData();
  }
}

export const noCrdtData = () =>
  new AppError('NOT_FOUND', 'There is no CRDT data for this editorId.');

const versionConflict = () =>
  new AppError('ABORTED', 'The CRDT data is no longer at the version given as ifVersion.');
