import type { KeyContext } from '../../api/context.ts';
import type { LiveDocumentName } from '../../platform/live-documents.ts';
import { requireDocument } from '../access/require-access.ts';
import { changeStored, noCrdtData } from './change-stored.ts';
import type { AnchoredPart } from './content/passages/anchored-passage.ts';
import type {
  FoundPassage,
  PassageProblem,
  QuotedPassage,
} from './content/passages/find-passage.ts';
import { readEditor } from './read-editor.ts';
import { runJob } from './worker/run-job.ts';

/**
 * Finds quoted passages in the content of an editor, and anchors them there.
 *
 * @returns for each passage its parts, or the reason why it cannot be anchored
 * @throws NOT_FOUND for an editor without content; INVALID_ARGUMENT for content without text, and for
 * an organization or document that does not exist
 */
export async function findPassages(
  ctx: KeyContext,
  name: LiveDocumentName,
  passages: QuotedPassage[],
): Promise<FoundPassage<AnchoredPart>[]> {
  const content = await readEditor(ctx, name, { kind: 'anchorPassages', passages });
  if (content) return content.result;
  // For a user, the caller has already checked the access, so the document exists.
  if (ctx.userId === undefined) await requireDocument(ctx, name, 'viewer');
  throw noCrdtData();
}

/**
 * Replaces anchored passages with the smallest possible edit, each as a whole or not at all. In an
 * operation that commits all its changes together, this edit is one of them.
 *
 * @returns for each passage the reason why it was not replaced; undefined if it was
 * @throws NOT_FOUND for an editor without content
 */
export async function replacePassages(
  ctx: KeyContext,
  name: LiveDocumentName,
  passages: AnchoredPart[][],
): Promise<Array<PassageProblem | undefined>> {
  const { outcome } = await changeStored(ctx, {
    name,
    make: (stored) => runJob(ctx.workerPool, { kind: 'replacePassages', stored, passages }),
  });
  return outcome;
}
