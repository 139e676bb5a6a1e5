import * as Y from 'yjs';
import type { DeclaredContent } from '../../../platform/live-documents.ts';
import { ContentMismatch } from '../content/content-type.ts';
import { type EditorContent, readEditorForEvent } from '../editor-content.ts';
import { splitUpdate } from './split-update.ts';

/** A change that was made on a copy of the stored content. */
export interface Change<Outcome = unknown> {
  /** The change as one update, and in parts; an empty update and no parts when nothing changed. */
  update: Uint8Array;
  parts: Uint8Array[];
  /** The content after the change, for the event. */
  content: EditorContent;
  outcome: Outcome;
}

/** Runs `change`, which may use several transactions, and returns its edits as one update. */
export function recordChange<Outcome>(
  doc: Y.Doc,
  declared: DeclaredContent,
  change: () => Outcome,
): Change<Outcome> {
  const updates: Uint8Array[] = [];
  doc.on('update', (update) => updates.push(update));
  const outcome = change();
  requireSize(doc, updates);
  const update = Y.mergeUpdates(updates);
  const parts = updates.length > 0 ? splitUpdate(update) : [];
  return { update, parts, content: readEditorForEvent(doc, declared), outcome };
}

/**
 * Requires that the changed document is not too large. Small changes are allowed in a full document, too,
 * since they may delete content.
 */
function requireSize(doc: Y.Doc, updates: readonly Uint8Array[]): void {
  const added = updates.reduce((sum, update) => sum + update.length, 0);
  if (added <= SMALL_CHANGE_BYTES || Y.encodeStateAsUpdate(doc).length <= MAX_DOCUMENT_BYTES)
    return;
  throw new ContentMismatch(
    'too_large',
    'A document may hold at most 10 MB, its history included.',
  );
}

const SMALL_CHANGE_BYTES = 64 * 1024;
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
