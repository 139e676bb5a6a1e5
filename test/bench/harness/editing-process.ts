import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawEditor } from './raw-editor.ts';

/** The request to the process with the editors. */
export interface EditingRequest {
  url: string;
  documents: string[];
  /** One token for each connection. They are distributed over the documents. */
  tokens: string[];
  /** The size of each document before anybody types. */
  documentBytes: number;
  perSecond: number;
  seconds: number;
}

/** The messages received while typing, and the number of lost connections. */
export interface EditingReport {
  received: number;
  lost: number;
}

const OPENING_AT_ONCE = 20;
const SENT_AT_ONCE = 4;
/** After this time the last messages have been read. */
const READ_MS = 2_000;
const vocabulary = Array.from({ length: 3_000 }, () => randomBytes(6).toString('base64url'));

async function openAll({ url, documents, tokens, documentBytes }: EditingRequest) {
  const editors: RawEditor[] = [];
  for (let at = 0; at < tokens.length; at += OPENING_AT_ONCE) {
    const opening = tokens
      .slice(at, at + OPENING_AT_ONCE)
      .map((token, n) => RawEditor.open(url, documents[(at + n) % documents.length] ?? '', token));
    editors.push(...(await Promise.all(opening)));
  }
  for (const editor of editors.slice(0, documents.length)) editor.type(prose(documentBytes));
  return editors;
}

/** Text that compresses about as well as prose. */
function prose(length: number): string {
  let content = '';
  while (content.length < length) content += `${vocabulary[randomInt(vocabulary.length)]} `;
  return content.slice(0, length);
}

/** Spreads the editors evenly over the interval. */
async function typeAll(
  editors: RawEditor[],
  { perSecond, seconds }: EditingRequest,
): Promise<void> {
  const intervalMs = 1_000 / perSecond;
  const startedAt = performance.now();
  const total = seconds * perSecond * editors.length;
  for (let sent = 0; sent < total; sent++) {
    const dueAt = startedAt + (sent * intervalMs) / editors.length;
    // The process sleeps even when it is late, so that it reads incoming messages.
    if (sent % SENT_AT_ONCE === 0) await sleep(Math.max(0, dueAt - performance.now()));
    editors[sent % editors.length]?.type('x');
  }
}

let editors: RawEditor[] = [];
let order: EditingRequest;

async function carryOut(message: EditingRequest | 'type'): Promise<EditingReport> {
  if (message !== 'type') {
    order = message;
    editors = await openAll(order);
    return { received: receivedByAll(), lost: 0 };
  }
  const before = receivedByAll();
  await typeAll(editors, order);
  await sleep(READ_MS);
  const lost = editors.filter((editor) => !editor.isOpen).length;
  return { received: receivedByAll() - before, lost };
}

const receivedByAll = () => editors.reduce((sum, { received }) => sum + received, 0);

process.once('disconnect', () => {
  for (const editor of editors) editor.close();
  process.exit();
});

process.on('message', (message: EditingRequest | 'type') => {
  carryOut(message).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
