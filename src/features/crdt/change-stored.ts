import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { appendUpdates } from './log/append-updates.ts';
import { loadStored, type StoredDocument } from './log/load-stored.ts';
import type { Change } from './worker/jobs.ts';

/** A change of stored content that a job makes. */
export interface StoredChange {
  name: LiveDocumentName;
  /** The version that the document must be at; undefined: any. */
  ifVersion?: number | undefined;
  make(stored: StoredDocument): Promise<Change>;
}

/**
 * Changes the stored content, and merges the committed change into the live document. This is for
 * content that would block the process, and for changes that require a certain version. Concurrent
 * edits are merged as usual.
 *
 * @returns the version after the change
 */
export async function changeStored(
  ctx: KeyContext,
  { name, ifVersion, make }: StoredChange,
): Promise<number> {
  for (;;) {
    // Pending edits are stored first, since this change may build on them.
    await ctx.liveDocuments.settle(name);
    const stored = await loadStored(ctx.db, name);
    if (!stored) throw noCrdtData();
    const { logId, version } = stored;
    if (ifVersion !== undefined && Number(version) !== ifVersion) throw versionConflict();
    const { update, parts, content } = await make(stored);
    if (parts.length === 0) return Number(version);
    const append = {
      name,
      logId,
      update,
      count: 1,
      userId: ctx.userId,
      content: content && { ...content, builtOn: Number(version) },
      replaces: Number(version),
      after: ifVersion === undefined ? undefined : version,
    };
    const [outcome] = await appendUpdates(ctx, [append]);
    if (typeof outcome === 'object' && 'logId' in outcome) {
      const change = { update, parts };
      await ctx.db.whenCommitted(() => ctx.liveDocuments.merge(name, change, outcome.version));
      return outcome.version;
    }
    if (ifVersion !== undefined) throw versionConflict();
    if (outcome !== 'overtaken') throw noCrdtData();
    // Another replacement was stored first, so the change is compared with that content.
  }
}

export const noCrdtData = () =>
  new AppError('NOT_FOUND', 'There is no CRDT data for this editorId.');

export const versionConflict = () =>
  new AppError('ABORTED', 'The CRDT data has changed since the version that ifVersion names.');
