import * as Y from 'yjs';
import type { DeclaredContent } from '../../../platform/live-documents.ts';
import { ContentMismatch, type ContentMismatchReason } from '../content/content-type.ts';
import type { AnchoredPart } from '../content/passages/anchored-passage.ts';
import type { QuotedPassage } from '../content/passages/find-passage.ts';
import { restoreDocument } from '../content/restore-document.ts';
import {
  type ReadOptions,
  type Replacement,
  readEditorContent,
  readEditorForEvent,
  replaceEditorContent,
} from '../editor-content.ts';
import { type StoredDocument, withStored } from '../log/load-stored.ts';
import { updatesIn } from '../log/update-framing.ts';
import { readUpdateFacts, type UpdateFacts } from '../update-facts.ts';
import { anchorPassages, replaceAnchored, replaceQuoted } from './passage-jobs.ts';
import { recordChange } from './record-change.ts';
import { splitUpdate } from './split-update.ts';

/** The parts of a stored document that jobs need. */
export type StoredContent = Pick<
  StoredDocument,
  'snapshot' | 'updates' | 'contentKey' | 'contentType'
>;

/** Past content: a snapshot, and the rows of the log after it as bytes (log/update-framing.ts). */
export interface PastContent {
  snapshot: Buffer | null;
  rows: Uint8Array;
}

/** An update that was split into parts, with facts about it. */
export interface SplitUpdate extends UpdateFacts {
  parts: Uint8Array[];
}

type Perform<Input, Result> = (doc: Y.Doc, declared: DeclaredContent, input: Input) => Result;

/** The tasks on a document that holds stored content, for this thread or a worker thread. */
const tasks = {
  replace: (doc, declared, { replacement }: { replacement: Replacement }) =>
    recordChange(doc, declared, () =>
      replaceEditorContent(doc, declared, deserialize(replacement)),
    ),

  /** The outcome is the reason why the passage was not replaced, or undefined. */
  replacePassage: (doc, declared, { passage }: { passage: QuotedPassage }) =>
    recordChange(doc, declared, () => replaceQuoted(doc, declared, passage)),

  /** The outcome has, for each passage, the reason why it was not replaced, or undefined. */
  replacePassages: (doc, declared, { passages }: { passages: AnchoredPart[][] }) =>
    recordChange(doc, declared, () => replaceAnchored(doc, declared, passages)),

  anchorPassages: (doc, declared, { passages }: { passages: QuotedPassage[] }) =>
    anchorPassages(doc, declared, passages),

  restore: (doc, declared, { past }: { past: PastContent }) =>
    withStored({ ...past, updates: updatesIn(past.rows) }, (pastDoc) =>
      recordChange(doc, declared, () => restoreDocument(doc, pastDoc)),
    ),

  read: (doc, declared, { options }: { options: ReadOptions }) =>
    readEditorContent(doc, declared, options),

  readForEvent: (doc, declared) => readEditorForEvent(doc, declared),

  snapshot: (doc) => Y.encodeStateAsUpdate(doc),

  /** Returns the whole content, in parts to be applied one after the other. */
  parts: (doc) => splitUpdate(Y.encodeStateAsUpdate(doc)),

  /** Returns the Yjs clients that have written to the content. */
  clients: (doc) => [...Y.decodeStateVector(Y.encodeStateVector(doc)).keys()],

  /** Returns the part of an update that the content lacks, deletions included. */
  missing(doc, _, { update }: { update: Uint8Array }): Uint8Array | undefined {
    let missing: Uint8Array | undefined;
    doc.on('update', (applied: Uint8Array) => {
      missing = applied;
    });
    Y.applyUpdate(doc, update);
    return missing;
  },

  /** Splits an update, and needs no content. */
  split: (_, __, { update }: { update: Uint8Array }): SplitUpdate => ({
    parts: splitUpdate(update),
    ...readUpdateFacts(update),
  }),
} satisfies Record<string, Perform<never, unknown>>;

type Tasks = typeof tasks;
export type TaskKind = keyof Tasks;
type InputOf<Kind extends TaskKind> =
  Tasks[Kind] extends Perform<infer Input, unknown> ? Input : never;
export type Task = { [Kind in TaskKind]: { kind: Kind } & InputOf<Kind> }[TaskKind];
export type ResultOf<Kind extends TaskKind> = ReturnType<Tasks[Kind]>;

/** Performs a task on a document that holds the content. */
const performTask = <Kind extends TaskKind>(
  doc: Y.Doc,
  declared: DeclaredContent,
  task: Task & { kind: Kind },
): ResultOf<Kind> => (tasks[task.kind] as Perform<Task, ResultOf<Kind>>)(doc, declared, task);

/** A task together with the stored content, if any, from which its document is made. */
export type Job = Task & { stored: StoredContent | undefined };

/** A mismatch is returned instead of thrown, since errors lose their class between threads. */
export type JobResult =
  | { value: ResultOf<TaskKind> }
  | { mismatch: { reason: ContentMismatchReason; message: string } };

/** Performs the task of a job on a temporary document. */
export function performJob(job: Job): JobResult {
  const { stored } = job;
  const declared = stored ?? { contentKey: null, contentType: null };
  try {
    return { value: withStored(stored, (doc) => performTask(doc, declared, job)) };
  } catch (error) {
    if (!(error instanceof ContentMismatch)) throw error;
    return { mismatch: { reason: error.reason, message: error.message } };
  }
}

/** Writes the JSON content of a job as text, which reaches a thread in less time than cloned values. */
export const serialize = (job: Job): Job =>
  job.kind === 'replace' && isJson(job.replacement)
    ? { ...job, replacement: withData(job.replacement, JSON.stringify(job.replacement.data)) }
    : job;

const deserialize = (replacement: Replacement): Replacement =>
  isJson(replacement) ? withData(replacement, JSON.parse(String(replacement.data))) : replacement;

const isJson = ({ type }: Replacement): boolean => type === 'map' || type === 'array';

const withData = (replacement: Replacement, data: unknown): Replacement => ({
  ...replacement,
  data,
});
