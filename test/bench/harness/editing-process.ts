import { setTimeout as sleep } from 'node:timers/promises';
import { RawEditor } from './raw-editor.ts';

/** The request to the process with the editors. */
export interface EditingRequest {
  url: string;
  documents: string[];
  /** One token for each connection. They are distributed over the documents. */
  tokens: string[];
  perSecond: number;
  seconds: number;
}

const OPENING_AT_ONCE = 20;
const SENT_AT_ONCE = 4;

async function openAll({ url, documents, tokens }: EditingRequest) {
  const editors: RawEditor[] = [];
  for (let at = 0; at < tokens.length; at += OPENING_AT_ONCE) {
    const opening = tokens
      .slice(at, at + OPENING_AT_ONCE)
      .map((token, n) => RawEditor.open(url, documents[(at + n) % documents.length] ?? '', token));
    editors.push(...(await Promise.all(opening)));
  }
  return editors;
}

/** Spreads the editors evenly over the interval. */
async function typeAll({ perSecond, seconds }: EditingRequest): Promise<void> {
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

process.once('disconnect', () => process.exit());

process.once('message', async (order: EditingRequest) => {
  editors = await openAll(order);
  process.once('message', () => void typeAll(order));
  process.send?.('open');
});
