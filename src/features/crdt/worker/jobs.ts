import * as Y from 'yjs';
import { factsOf, type UpdateFacts } from '../client-ids.ts';
import { readAnyContent, replaceAnyContent } from '../content/any-content.ts';
import { ContentMismatch, type ContentMismatchReason } from '../content/content-mismatch.ts';
import type { ContentType } from '../content/content-type.ts';
import type { AnchoredPart, FoundPassage } from '../content/passages/anchored-passage.ts';
import type { PassageProblem, QuotedPassage } from '../content/passages/find-passage.ts';
import { restoreDocument } from '../content/restore-document.ts';
import type { WorkBudget } from '../content/work-budget.ts';
import { type StoredDocument, withStored } from '../log/load-stored.ts';
import { updatesIn } from '../log/timed-rows.ts';
import {
  contentKeyOf,
  type Declared,
  type EditorContent,
  readEditorForEvent,
  requireType,
  rootFor,
} from '../present-editor.ts';
import { anchorPassages, replaceAnchored, replaceQuoted } from './passage-jobs.ts';
import { splitUpdate } from './split-update.ts';

/** The parts of a stored document that these jobs need. */
export type Stored = Pick<StoredDocument, 'snapshot' | 'updates' | 'contentKey' | 'contentType'>;

/** A task on stored content, for this thread or a worker thread. */
export type Job =
  | { kind: 'replace'; stored: Stored; replacement: Replacement }
  | { kind: 'replacePassage'; stored: Stored; passage: QuotedPassage }
  | { kind: 'replacePassages'; stored: Stored; passages: AnchoredPart[][] }
  | { kind: 'anchorPassages'; stored: Stored; passages: QuotedPassage[] }
  | { kind: 'restore'; stored: Stored; past: Past }
  | { kind: 'read'; stored: Stored; options: ReadOptions }
  | { kind: 'present'; stored: Stored }
  | { kind: 'snapshot'; stored: Stored }
  | { kind: 'parts'; stored: Stored }
  | { kind: 'clients'; stored: Stored }
  | { kind: 'missing'; stored: Stored; update: Uint8Array }
  | { kind: 'split'; stored: Stored; update: Uint8Array };

/** Past content: a snapshot, and rows of the log after it (log/timed-rows.ts). */
export interface Past {
  snapshot: Buffer | null;
  rows: Uint8Array;
}

/** New content for a root. */
export interface Replacement {
  /** Undefined: the usual root, or the root that holds content when the usual one is empty. */
  key: string | undefined;
  type: ContentType;
  data: unknown;
  marks: readonly string[] | undefined;
  /** Whether `data` is preserialized JSON. */
  isSerialized?: boolean;
}

/** The content that a caller reads; undefined fields are inferred. */
interface ReadOptions {
  key: string | undefined;
  type: ContentType | undefined;
  marks: readonly string[] | undefined;
}

/** A change that was made on a copy of the stored content. */
export interface Change {
  /** The change as one update, and in parts; no parts when nothing changed. */
  update: Uint8Array;
  parts: Uint8Array[];
  /** The content after the change, for the event. */
  content: EditorContent;
}

export interface Results {
  replace: Change;
  replacePassage: Change & { problem: PassageProblem | undefined };
  /** The reasons why passages are not replaced. */
  replacePassages: Change & { problems: Array<PassageProblem | undefined> };
  anchorPassages: FoundPassage[];
  restore: Change;
  read: EditorContent;
  present: EditorContent;
  snapshot: Uint8Array;
  /** The whole content, in parts to be applied one after the other. */
  parts: Uint8Array[];
  /** The Yjs clients that have written to the content. */
  clients: number[];
  /** The part of an update that the stored content lacks, deletions included. */
  missing: Uint8Array | undefined;
  split: SplitUpdate;
}

/** Any update, split into parts, with facts about it. */
export interface SplitUpdate extends UpdateFacts {
  parts: Uint8Array[];
}

/** A mismatch is returned and not thrown, since errors lose their class between threads. */
export type JobResult<Kind extends keyof Results = keyof Results> =
  | { value: Results[Kind] }
  | { mismatch: { reason: ContentMismatchReason; message: string } };

export function perform(job: Job): JobResult {
  try {
    return { value: withStored(job.stored, (doc) => performOn(doc, job)) };
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    return { mismatch: { reason: error.reason, message: error.message } };
  }
}

export function performOn(doc: Y.Doc, job: Job): Results[keyof Results] {
  switch (job.kind) {
    case 'replace':
      return changed(doc, job.stored, () => replace(doc, job.stored, job.replacement));
    case 'replacePassage': {
      let problem: PassageProblem | undefined;
      const change = changed(doc, job.stored, () => {
        problem = replaceQuoted(doc, job.stored, job.passage);
      });
      return { ...change, problem };
    }
    case 'replacePassages': {
      let problems: Array<PassageProblem | undefined> = [];
      const change = changed(doc, job.stored, () => {
        problems = replaceAnchored(doc, job.stored, job.passages);
      });
      return { ...change, problems };
    }
    case 'anchorPassages':
      return anchorPassages(doc, job.stored, job.passages);
    case 'restore':
      return withStored({ ...job.past, updates: updatesIn(job.past.rows) }, (past) =>
        changed(doc, job.stored, () => restoreDocument(doc, past)),
      );
    case 'read':
      return readRoot(doc, job.stored, job.options);
    case 'present':
      return readEditorForEvent(doc, job.stored);
    case 'snapshot':
      return Y.encodeStateAsUpdate(doc);
    case 'parts':
      return splitUpdate(Y.encodeStateAsUpdate(doc));
    case 'split':
      return { parts: splitUpdate(job.update), ...factsOf(job.update) };
    case 'missing':
      return missingFrom(doc, job.update);
    case 'clients':
      return [...Y.decodeStateVector(Y.encodeStateVector(doc)).keys()];
  }
}

function missingFrom(doc: Y.Doc, update: Uint8Array): Uint8Array | undefined {
  let missing: Uint8Array | undefined;
  doc.on('update', (own: Uint8Array) => {
    missing = own;
  });
  Y.applyUpdate(doc, update);
  return missing;
}

/** @throws {ContentMismatch} before anything is changed. */
export function replace(
  doc: Y.Doc,
  declared: Declared | undefined,
  replacement: Replacement,
  budget?: WorkBudget,
): void {
  const { type, marks } = replacement;
  const data: unknown = replacement.isSerialized
    ? JSON.parse(String(replacement.data))
    : replacement.data;
  const key = replacement.key ?? rootFor(doc, type, declared);
  requireType(doc, key, type, declared);
  replaceAnyContent(doc, { key, type, marks }, data, budget);
}

/** @throws {ContentMismatch} when the requested type is not that of the root. */
function readRoot(doc: Y.Doc, declared: Declared, options: ReadOptions): EditorContent {
  const key = options.key ?? contentKeyOf(doc, declared);
  const type = requireType(doc, key, options.type, declared);
  const data = readAnyContent(doc, { key, type, marks: options.marks });
  return { type, json: JSON.stringify(data) };
}

function changed(doc: Y.Doc, declared: Declared, change: () => void): Change {
  const updates: Uint8Array[] = [];
  doc.on('update', (update) => updates.push(update));
  change();
  requireSize(doc, updates);
  const [only, ...others] = updates;
  const update = only && others.length === 0 ? only : Y.mergeUpdates(updates);
  const parts = only ? splitUpdate(update) : [];
  return { update, parts, content: readEditorForEvent(doc, declared) };
}

/** Small changes are allowed in a full document too, since they may delete content. */
function requireSize(doc: Y.Doc, updates: readonly Uint8Array[]): void {
  const added = updates.reduce((sum, update) => sum + update.length, 0);
  if (added <= SMALL_CHANGE || Y.encodeStateAsUpdate(doc).length <= MAX_DOCUMENT_BYTES) return;
  throw new ContentMismatch('too_large', 'A document may hold 10 MB, its history included.');
}

const SMALL_CHANGE = 64 * 1024;
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
