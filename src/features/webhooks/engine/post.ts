import type { Dispatcher } from 'undici';
import { ForbiddenAddressError } from '../../../platform/outbound/agent.ts';

/** The limit for the whole attempt: connecting, sending, and reading the answer to its end. */
export const TIMEOUT_MS = 15_000;
/** The most bytes of an answer that are read and kept. */
const EXCERPT_BYTES = 16_384;

export interface Post {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The answer to a request, or the error when there is none. */
export interface PostResult {
  statusCode: number | null;
  retryAfter: string | undefined;
  excerpt: string | null;
  error: string | null;
  latencyMs: number;
}

/** Sends a request and never throws. A redirect is an answer like any other and is not followed. */
export async function post(agent: Dispatcher, request: Post): Promise<PostResult> {
  const startedAt = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), TIMEOUT_MS);
  const { signal } = deadline;
  let answer: Dispatcher.ResponseData | undefined;
  const chunks: Buffer[] = [];
  let error: string | null = null;
  try {
    answer = await agent.request({ ...request, method: 'POST', signal });
    let missing = EXCERPT_BYTES;
    // Leaving the loop closes the connection of a longer answer.
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      // Copied, because the chunk would keep the larger buffer that it is a part of in memory.
      chunks.push(Buffer.from(chunk.subarray(0, missing)));
      missing -= chunk.length;
      if (missing < 0) break;
    }
  } catch (failure) {
    error = signal.aborted ? TOO_SLOW : reasonOf(failure as Error);
  }
  clearTimeout(timer);
  return {
    statusCode: answer?.statusCode ?? null,
    retryAfter: [answer?.headers['retry-after']].flat()[0],
    // PostgreSQL cannot store NUL characters in text.
    excerpt: answer ? Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\ufffd') : null,
    error,
    latencyMs: Math.round(performance.now() - startedAt),
  };
}

const TOO_SLOW = `No complete answer within ${TIMEOUT_MS / 1000} seconds.`;

/** Describes an error for the endpoint's owner, without revealing anything about this machine. */
function reasonOf(error: Error): string {
  if (error instanceof ForbiddenAddressError) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'The connection could not be made in time.';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'The headers of the answer are too large.';
  return code ? `The request failed: ${code}.` : 'The request failed.';
}

/** The result of a delivery for which no request could be made. */
export const notSent = (error: string): PostResult => ({
  statusCode: null,
  retryAfter: undefined,
  excerpt: null,
  error,
  latencyMs: 0,
});
