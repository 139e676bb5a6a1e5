import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawEditor } from './raw-editor.ts';

/** What the process with the editors is asked for. */
export interface EditingOrder {
  url: string;
  documents: string[];
  /** One for each connection; they are dealt out over the documents. */
  tokens: string[];
  /** What stands in each document before anybody types. */
  documentBytes: number;
  perSecond: number;
  seconds: number;
}

/** What came while they typed, and how many are not connected any more. */
export interface EditingReport {
  received: number;
  lost: number;
}

const OPENING_AT_ONCE = 20;
const SENT_AT_ONCE = 4;
/** The last has been read by then. */
const READ_MS = 2_000;
const vocabulary = Array.from({ length: 3_000 }, () => randomBytes(6).toString('base64url'));

async function openAll({ url, documents, tokens, documentBytes }: EditingOrder) {
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

/** About as hard to compress as what people write. */
function prose(length: number): string {
  let content = '';
  while (content.length < length) content += `${vocabulary[randomInt(vocabulary.length)]} `;
  return content.slice(0, length);
}

/** Each editor at its own moment of the interval. */
async function typeAll(editors: RawEditor[], { perSecond, seconds }: EditingOrder): Promise<void> {
  const intervalMs = 1_000 / perSecond;
  const startedAt = performance.now();
  const total = seconds * perSecond * editors.length;
  for (let sent = 0; sent < total; sent++) {
    const dueAt = startedAt + (sent * intervalMs) / editors.length;
    // Also when it is late: what comes must be read, and what waits long came in bursts.
    if (sent % SENT_AT_ONCE === 0) await sleep(Math.max(0, dueAt - performance.now()));
    editors[sent % editors.length]?.type('x');
  }
}

let editors: RawEditor[] = [];
let order: EditingOrder;

async function carryOut(message: EditingOrder | 'type'): Promise<EditingReport> {
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
});

process.on('message', (message: EditingOrder | 'type') => {
  carryOut(message).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
