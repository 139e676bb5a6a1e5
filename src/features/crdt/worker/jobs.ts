import * as Y from 'yjs';
import { factsOf, type UpdateFacts } from '../client-ids.ts';
import { readAnyContent, replaceAnyContent } from '../content/any-content.ts';
import { ContentMismatch, type ContentMismatchReason } from '../content/content-mismatch.ts';
import type { ContentType } from '../content/content-type.ts';
import { restoreDocument } from '../content/restore-document.ts';
import { type StoredDocument, withStored } from '../log/load-stored.ts';
import {
  contentKeyOf,
  type Declared,
  type EditorContent,
  readEditorForEvent,
  requireType,
  rootFor,
} from '../present-editor.ts';
import { splitUpdate } from './split-update.ts';

/** What is stored of a document, as far as these jobs need it. */
export type Stored = Pick<StoredDocument, 'snapshot' | 'updates' | 'contentKey' | 'contentType'>;

/** Something to do with stored content, in this thread or in another. */
export type Job =
  | { kind: 'replace'; stored: Stored; wanted: Wanted }
  | { kind: 'restore'; stored: Stored; snapshot: Uint8Array }
  | { kind: 'read'; stored: Stored; asked: Asked }
  | { kind: 'present'; stored: Stored }
  | { kind: 'snapshot'; stored: Stored }
  | { kind: 'parts'; stored: Stored }
  | { kind: 'clients'; stored: Stored }
  | { kind: 'missing'; stored: Stored; update: Uint8Array }
  | { kind: 'split'; stored: Stored; update: Uint8Array };

export interface Wanted {
  /** Undefined: the usual root, or if that is empty the one that holds content. */
  key: string | undefined;
  type: ContentType;
  data: unknown;
  marks: readonly string[] | undefined;
  /** The data is the JSON of what is wanted. */
  isPacked?: boolean;
}

/** What a caller asks to see; what is left out is inferred. */
export interface Asked {
  key: string | undefined;
  type: ContentType | undefined;
  marks: readonly string[] | undefined;
}

/** A change that was made aside. */
export interface Change {
  /** The same as one update and in parts; no parts when nothing changed. */
  update: Uint8Array;
  parts: Uint8Array[];
  /** What the content then reads, for the event. */
  content: EditorContent;
}

export interface Results {
  replace: Change;
  restore: Change;
  read: EditorContent;
  present: EditorContent;
  snapshot: Uint8Array;
  /** All of it, to be applied bit by bit. */
  parts: Uint8Array[];
  /** The Yjs clients that have written to it. */
  clients: number[];
  /** What an update says that the stored content lacks, deletions included. */
  missing: Uint8Array | undefined;
  split: SplitUpdate;
}

/** An update of anybody's, whatever it is to be applied to: in parts, and what is in it. */
export interface SplitUpdate extends UpdateFacts {
  parts: Uint8Array[];
}

/** Errors lose their class between threads, so a mismatch is told as an outcome. */
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

function performOn(doc: Y.Doc, job: Job): Results[keyof Results] {
  switch (job.kind) {
    case 'replace':
      return changed(doc, job.stored, () => replace(doc, job.stored, job.wanted, undefined));
    case 'restore':
      return changed(doc, job.stored, () => restoreDocument(doc, job.snapshot));
    case 'read':
      return readAsked(doc, job.stored, job.asked);
    case 'present':
      return readEditorForEvent(doc, job.stored);
    case 'snapshot':
      return Y.encodeStateAsUpdate(doc);
    case 'parts':
      return splitUpdate(Y.encodeStateAsUpdate(doc));
    case 'split':
      return { parts: splitUpdate(job.update), ...factsOf(job.update) };
    case 'missing':
      return missing(doc, job.update);
    case 'clients':
      return [...Y.decodeStateVector(Y.encodeStateVector(doc)).keys()];
  }
}

function missing(doc: Y.Doc, update: Uint8Array): Uint8Array | undefined {
  let news: Uint8Array | undefined;
  doc.on('update', (own: Uint8Array) => {
    news = own;
  });
  Y.applyUpdate(doc, update);
  return news;
}

/** @throws {ContentMismatch} before anything is changed. */
export function replace(doc: Y.Doc, declared: Declared, wanted: Wanted, origin: unknown): void {
  const { type, marks } = wanted;
  const data: unknown = wanted.isPacked ? JSON.parse(String(wanted.data)) : wanted.data;
  const key = wanted.key ?? rootFor(doc, type, declared);
  requireType(doc, key, type, declared);
  replaceAnyContent(doc, { key, type, marks }, data, origin);
}

/** @throws {ContentMismatch} when the type asked for is not that of the root. */
export function readAsked(doc: Y.Doc, declared: Declared, asked: Asked): EditorContent {
  const key = asked.key ?? contentKeyOf(doc, declared);
  const type = requireType(doc, key, asked.type, declared);
  const data = readAnyContent(doc, { key, type, marks: asked.marks });
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

/** A change that takes little room may always be made; it may be the one that makes room. */
function requireSize(doc: Y.Doc, updates: readonly Uint8Array[]): void {
  const added = updates.reduce((sum, update) => sum + update.length, 0);
  if (added <= SMALL_CHANGE || Y.encodeStateAsUpdate(doc).length <= MAX_DOCUMENT_BYTES) return;
  throw new ContentMismatch('too_large', 'A document may hold 10 MB, its history included.');
}

const SMALL_CHANGE = 64 * 1024;
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
