import type { Services } from '../../../api/context.ts';
import { diffText } from '../../../features/crdt/content/diff/diff-text.ts';
import { newBudget } from '../../../features/crdt/content/diff/work-budget.ts';
import type { EditorContent } from '../../../features/crdt/editor-content.ts';
import { loadStored } from '../../../features/crdt/log/load-stored.ts';
import { readVersionSnapshot } from '../../../features/crdt/versions/versions.ts';
import type { StoredContent } from '../../../features/crdt/worker/jobs.ts';
import { runJob } from '../../../features/crdt/worker/run-job.ts';
import { AppError } from '../../../platform/errors.ts';
import type { LiveDocumentName } from '../../../platform/live-documents.ts';
import { readableContent } from '../../readable-content.ts';

/** In UTF-16 units. Longer contents are not compared, since nobody would read the result. */
const MAX_TEXT = 500_000;

interface Part {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/**
 * Compares a version with another one or, without `to`, with the current content. Returns the unchanged, removed and
 * added pieces of text in their order.
 *
 * @throws NOT_FOUND; FAILED_PRECONDITION for contents that are too long
 */
export async function compareVersions(
  services: Services,
  name: LiveDocumentName,
  { from, to }: { from: string; to: string | undefined },
): Promise<{ parts: Part[] }> {
  // This waits until received edits are committed, so that they are part of the current content.
  await services.liveDocuments.settle(name);
  const current = await loadStored(services.db, name);
  if (!current) throw new AppError('NOT_FOUND', 'The CRDT data does not exist.');
  const readAt = async (versionId: string | undefined) => {
    const stored: StoredContent =
      versionId === undefined
        ? current
        : {
            ...current,
            snapshot: await readVersionSnapshot(services.db, name, versionId),
            updates: [],
          };
    const options = { key: undefined, type: undefined, marks: undefined };
    return runJob(services.workerPool, { kind: 'read', stored, options });
  };
  const before = await readAt(from);
  const after = await readAt(to);
  return { parts: partsOf(textOf(before), textOf(after)) };
}

function textOf({ type, json }: EditorContent): string {
  const text = readableContent(type, JSON.parse(json));
  if (text.length <= MAX_TEXT) return text;
  throw new AppError(
    'FAILED_PRECONDITION',
    'Contents of more than 500,000 characters cannot be compared.',
  );
}

function partsOf(before: string, after: string): Part[] {
  const parts: Part[] = [];
  const add = (kind: Part['kind'], text: string) => {
    if (text !== '') parts.push({ kind, text });
  };
  let at = 0;
  for (const { from, to, insert } of diffText(before, after, newBudget())) {
    add('same', before.slice(at, from));
    add('removed', before.slice(from, to));
    add('added', insert);
    at = to;
  }
  add('same', before.slice(at));
  return parts;
}
