import * as Y from 'yjs';
import type { DeclaredContent } from '../../../platform/live-documents.ts';
import { readUpdateFacts, type UpdateFacts } from '../client-ids.ts';
import { readContent, replaceContent } from '../content/content.ts';
import {
  ContentMismatch,
  type ContentMismatchReason,
  type ContentType,
} from '../content/content-type.ts';
import type { AnchoredPart } from '../content/passages/anchored-passage.ts';
import type { QuotedPassage } from '../content/passages/find-passage.ts';
import { restoreDocument } from '../content/restore-document.ts';
import type { WorkBudget } from '../content/work-budget.ts';
import {
  contentKeyOf,
  type EditorContent,
  keyForNewContent,
  readEditorForEvent,
  requireType,
} from '../editor-content.ts';
import { type StoredDocument, withStored } from '../log/load-stored.ts';
import { updatesIn } from '../log/update-framing.ts';
import { anchorPassages, replaceAnchored, replaceQuoted } from './passage-jobs.ts';
import { splitUpdate } from './split-update.ts';

/** The parts of a stored document that jobs need. */
export type Stored = Pick<StoredDocument, 'snapshot' | 'updates' | 'contentKey' | 'contentType'>;

/** Past content: a snapshot, and the rows of the log after it as bytes (log/update-framing.ts). */
export interface Past {
  snapshot: Buffer | null;
  rows: Uint8Array;
}

/** New content for a root. */
export interface Replacement {
  /** Undefined: the root that `keyForNewContent` returns. */
  key: string | undefined;
  type: ContentType;
  data: unknown;
  marks: readonly string[] | undefined;
  /** Whether `data` is the text of its JSON. */
  isSerialized?: boolean;
}

/** The content that a caller reads; undefined fields are inferred. */
interface ReadOptions {
  key: string | undefined;
  type: ContentType | undefined;
  marks: readonly string[] | undefined;
}

/** A change that was made on a copy of the stored content. */
export interface Change<Outcome = unknown> {
  /** The change as one update, and in parts; an empty update and no parts when nothing changed. */
  update: Uint8Array;
  parts: Uint8Array[];
  /** The content after the change, for the event. */
  content: EditorContent;
  outcome: Outcome;
}

/** Any update, split into parts, with facts about it. */
export interface SplitUpdate extends UpdateFacts {
  parts: Uint8Array[];
}

/** The tasks on a document that holds stored content, for this thread or a worker thread. */
const tasks = {
  replace: (doc: Y.Doc, declared: DeclaredContent, { replacement }: { replacement: Replacement }) =>
    recordChange(doc, declared, () => replace(doc, declared, replacement)),

  /** The outcome is the reason why the passage is not replaced. */
  replacePassage: (
    doc: Y.Doc,
    declared: DeclaredContent,
    { passage }: { passage: QuotedPassage },
  ) => recordChange(doc, declared, () => replaceQuoted(doc, declared, passage)),

  /** The outcome has, for each passage, the reason why it is not replaced. */
  replacePassages: (
    doc: Y.Doc,
    declared: DeclaredContent,
    { passages }: { passages: AnchoredPart[][] },
  ) => recordChange(doc, declared, () => replaceAnchored(doc, declared, passages)),

  anchorPassages: (
    doc: Y.Doc,
    declared: DeclaredContent,
    { passages }: { passages: QuotedPassage[] },
  ) => anchorPassages(doc, declared, passages),

  restore: (doc: Y.Doc, declared: DeclaredContent, { past }: { past: Past }) =>
    withStored({ ...past, updates: updatesIn(past.rows) }, (pastDoc) =>
      recordChange(doc, declared, () => restoreDocument(doc, pastDoc)),
    ),

  read: (doc: Y.Doc, declared: DeclaredContent, { options }: { options: ReadOptions }) =>
    readRoot(doc, declared, options),

  /** Reads the content for an event. */
  present: (doc: Y.Doc, declared: DeclaredContent) => readEditorForEvent(doc, declared),

  snapshot: (doc: Y.Doc) => Y.encodeStateAsUpdate(doc),

  /** Returns the whole content, in parts to be applied one after the other. */
  parts: (doc: Y.Doc) => splitUpdate(Y.encodeStateAsUpdate(doc)),

  /** Returns the Yjs clients that have written to the content. */
  clients: (doc: Y.Doc) => [...Y.decodeStateVector(Y.encodeStateVector(doc)).keys()],

  /** Returns the part of an update that the stored content lacks, deletions included. */
  missing(
    doc: Y.Doc,
    _: DeclaredContent,
    { update }: { update: Uint8Array },
  ): Uint8Array | undefined {
    let missing: Uint8Array | undefined;
    doc.on('update', (applied: Uint8Array) => {
      missing = applied;
    });
    Y.applyUpdate(doc, update);
    return missing;
  },

  split: (_: Y.Doc, __: DeclaredContent, { update }: { update: Uint8Array }): SplitUpdate => ({
    parts: splitUpdate(update),
    ...readUpdateFacts(update),
  }),
};

type Tasks = typeof tasks;
export type TaskKind = keyof Tasks;
type InputOf<Kind extends TaskKind> = Tasks[Kind] extends (
  doc: Y.Doc,
  declared: DeclaredContent,
  input: infer Input,
) => unknown
  ? Input
  : never;
export type Task = { [Kind in TaskKind]: { kind: Kind } & InputOf<Kind> }[TaskKind];
export type ResultOf<Kind extends TaskKind> = ReturnType<Tasks[Kind]>;

/** A task together with the stored content, from which its document is made. */
export type Job = Task & { stored: Stored };

/** A mismatch is returned and not thrown, since errors lose their class between threads. */
export type JobResult =
  | { value: ResultOf<TaskKind> }
  | { mismatch: { reason: ContentMismatchReason; message: string } };

/** Performs the task of a job on a temporary document. */
export function performJob(job: Job): JobResult {
  try {
    return { value: withStored(job.stored, (doc) => performTask(doc, job.stored, job)) };
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    return { mismatch: { reason: error.reason, message: error.message } };
  }
}

type Perform = (doc: Y.Doc, declared: DeclaredContent, task: Task) => ResultOf<TaskKind>;

/** Performs a task on a document that holds the content. */
export const performTask: Perform = (doc, declared, task) =>
  (tasks[task.kind] as Perform)(doc, declared, task);

/** @throws {ContentMismatch} before anything is changed. */
export function replace(
  doc: Y.Doc,
  declared: DeclaredContent,
  replacement: Replacement,
  budget?: WorkBudget,
): void {
  const { type, marks } = replacement;
  const data: unknown = replacement.isSerialized
    ? JSON.parse(String(replacement.data))
    : replacement.data;
  const key = replacement.key ?? keyForNewContent(doc, type, declared);
  requireType(doc, key, type, declared);
  replaceContent(doc, { key, type, marks }, data, budget);
}

/** @throws {ContentMismatch} when the requested type is not that of the root. */
function readRoot(doc: Y.Doc, declared: DeclaredContent, options: ReadOptions): EditorContent {
  const key = options.key ?? contentKeyOf(doc, declared);
  const type = requireType(doc, key, options.type, declared);
  const data = readContent(doc, { key, type, marks: options.marks });
  return { type, json: JSON.stringify(data) };
}

/** Makes a change in one or several transactions, and returns it as one update. */
function recordChange<Outcome>(
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
