import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { AppError } from '../platform/errors.ts';
import { mapInPieces } from '../platform/turns.ts';

export interface Page {
  data: unknown[];
  nextPageToken?: string;
}

/**
 * Answers with newline-delimited JSON: every item of every page on a line of its own, read as fast
 * as the caller takes them. The first page is read before the answer begins, so that a refusal
 * still has its envelope; a failure after that cuts the connection, which clients notice.
 */
export async function sendLines(
  reply: FastifyReply,
  readPage: (pageToken?: string) => Promise<Page>,
): Promise<FastifyReply> {
  const first = await readPage();
  const lines = Readable.from(linesFrom(first, readPage), { objectMode: false });
  return reply.type('application/x-ndjson; charset=utf-8').send(lines);
}

async function* linesFrom(first: Page, readPage: (pageToken?: string) => Promise<Page>) {
  let page = first;
  for (;;) {
    yield* await mapInPieces(page.data, (item) => `${JSON.stringify(item)}\n`);
    const { nextPageToken } = page;
    if (!nextPageToken) return;
    page = await patiently(() => readPage(nextPageToken));
  }
}

/** Each page counts as a request of the key; one too many waits for the next second. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const retryAfter = error instanceof AppError ? error.retryAfterSeconds : undefined;
      if (retryAfter === undefined) throw error;
      await pause(retryAfter * 1000);
    }
  }
}
