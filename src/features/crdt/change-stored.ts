import type { KeyContext } from '../../api/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { appendUpdates } from './log/append-updates.ts';
import { loadStored, type StoredDocument } from './log/load-stored.ts';
import type { Change } from './worker/jobs.ts';

/** A change of stored content, made by a job. */
export interface StoredChange {
  name: LiveDocumentName;
  /** The version that the document must be at; undefined: any. */
  ifVersion?: number | undefined;
  make(stored: StoredDocument): Promise<Change>;
}

/**
 * Changes a document beside the live one, and merges the change into it once it is committed: for
 * content that would hold up the process, and for changes that must not happen unless the document
 * is as the caller saw it. What others write meanwhile is merged like any concurrent edit.
 */
export async function changeStored(
  ctx: KeyContext,
  { name, ifVersion, make }: StoredChange,
): Promise<void> {
  for (;;) {
    // What is on its way to the log comes before this change, which may build on it.
    await ctx.liveDocuments.settle(name);
    const stored = await loadStored(ctx.db, name);
    if (!stored) throw noCrdtData();
    const { logId, version } = stored;
    if (ifVersion !== undefined && Number(version) !== ifVersion) throw movedOn();
    const { update, parts, content } = await make(stored);
    if (parts.length === 0) return;
    const append = {
      name,
      logId,
      update,
      count: 1,
      userId: ctx.userId,
      content,
      replaces: Number(version),
      after: ifVersion === undefined ? undefined : version,
    };
    const [outcome] = await appendUpdates(ctx, [append]);
    if (typeof outcome === 'object' && 'logId' in outcome) {
      return ctx.db.whenCommitted(() => ctx.liveDocuments.merge(name, parts, outcome.version));
    }
    if (ifVersion !== undefined) throw movedOn();
    if (outcome !== 'overtaken') throw noCrdtData();
    // Somebody else's new content came first, so this is compared with it.
  }
}

export const noCrdtData = () =>
  new AppError('NOT_FOUND', 'There is no CRDT data for this editorId.');

const movedOn = () =>
  new AppError('ABORTED', 'The CRDT data has changed since the version that ifVersion names.');
