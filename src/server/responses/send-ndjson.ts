import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { mapInChunks } from '../../platform/chunks.ts';
import { AppError } from '../../platform/errors.ts';

export interface Page {
  data: unknown[];
  nextPageToken?: string;
}

/**
 * Sends newline-delimited JSON with the items of all pages, reading pages as fast as the client
 * consumes them. The first page is read before the response starts, so that its failure is sent in the
 * envelope. A later failure closes the connection, which clients notice.
 *
 * @param trackUnread counts a page as unread until the returned function is called
 * @param signal aborts once the client has left
 */
export async function sendNdjson(
  reply: FastifyReply,
  readPage: (pageToken?: string) => Promise<Page>,
  trackUnread: (texts: string[]) => () => void,
  signal: AbortSignal | undefined,
): Promise<FastifyReply> {
  const first = await readPage();
  const readNext = (pageToken: string) => retryWhenLimited(() => readPage(pageToken), signal);
  const ndjson = Readable.from(ndjsonFrom(first, readNext, trackUnread), { objectMode: false });
  return reply.type('application/x-ndjson; charset=utf-8').send(ndjson);
}

async function* ndjsonFrom(
  first: Page,
  readNext: (pageToken: string) => Promise<Page>,
  trackUnread: (texts: string[]) => () => void,
) {
  let page = first;
  for (;;) {
    const lines = await mapInChunks(page.data, (item) => `${JSON.stringify(item)}\n`);
    const release = trackUnread(lines);
    yield* lines;
    release();
    const { nextPageToken } = page;
    if (!nextPageToken) return;
    page = await readNext(nextPageToken);
  }
}

/** Repeats the work, after a pause, as long as the rate limit refuses it. Each page counts as a request of the key. */
async function retryWhenLimited<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const retryAfter = error instanceof AppError ? error.retryAfterSeconds : undefined;
      if (retryAfter === undefined) throw error;
      await delay(retryAfter * 1000, undefined, { signal });
    }
  }
}
