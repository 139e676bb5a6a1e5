import { type Dispatcher, errors } from 'undici';
import { ForbiddenAddressError } from '../../../platform/outbound/agent.ts';

/** The limit for the whole attempt: connecting, sending, and reading the response to its end. */
export const TIMEOUT_MS = 15_000;
const TIMEOUT_MESSAGE = `No complete response within ${TIMEOUT_MS / 1000} seconds.`;
/** The most bytes of a response that are read and stored. */
const MAX_EXCERPT_BYTES = 16_384;

interface PostRequest {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The response to a request, or the error if there is none. */
export interface PostResult {
  statusCode: number | null;
  retryAfter: string | undefined;
  excerpt: string | null;
  error: string | null;
  latencyMs: number;
}

/** Sends a request, and never throws. A redirect is a response like any other, and is not followed. */
export function post(agent: Dispatcher, request: PostRequest): Promise<PostResult> {
  return new Promise((resolve) => {
    const dispatch = (handler: ResponseHandler) =>
      agent.dispatch({ ...request, method: 'POST' }, handler);
    new ResponseHandler(dispatch, resolve).send();
  });
}

/** Collects the response, up to the size of the excerpt. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #dispatch: (handler: ResponseHandler) => void;
  readonly #resolve: (result: PostResult) => void;
  readonly #startedAt = performance.now();
  readonly #deadline: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #statusCode: number | null = null;
  #retryAfter: string | undefined;
  #isRepeated = false;
  #isDone = false;

  constructor(dispatch: (handler: ResponseHandler) => void, resolve: (result: PostResult) => void) {
    this.#dispatch = dispatch;
    this.#resolve = resolve;
    this.#deadline = setTimeout(() => this.#finish(TIMEOUT_MESSAGE), TIMEOUT_MS);
  }

  send(): void {
    try {
      this.#dispatch(this);
    } catch (error) {
      this.#finish(describeError(error as Error));
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The attempt timed out while it waited for a connection.
    if (this.#isDone) controller.abort(new Error(TIMEOUT_MESSAGE));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#statusCode = statusCode;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isDone) return;
    // The chunk is copied, because it would otherwise keep in memory the larger buffer that contains it.
    this.#chunks.push(Buffer.from(chunk.subarray(0, MAX_EXCERPT_BYTES - this.#size)));
    this.#size += chunk.length;
    if (this.#size > MAX_EXCERPT_BYTES) this.#finish(null);
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  /**
   * Sends the request once more if the receiver closed an idle connection while the request was on its way,
   * which is not the receiver's fault.
   */
  onResponseError(_controller: unknown, error: Error): void {
    const mayRepeat = !this.#isDone && !this.#isRepeated && this.#statusCode === null;
    if (mayRepeat && wasConnectionUsed(error)) {
      this.#isRepeated = true;
      this.send();
    } else this.#finish(describeError(error));
  }

  /** Resolves once, and closes a connection that hangs or is still sending. */
  #finish(error: string | null): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#deadline);
    this.#resolve({
      statusCode: this.#statusCode,
      retryAfter: this.#retryAfter,
      excerpt: this.#excerpt(),
      error,
      latencyMs: Math.round(performance.now() - this.#startedAt),
    });
    if (error !== null || this.#size > MAX_EXCERPT_BYTES) {
      this.#controller?.abort(new Error('The response is not read any further.'));
    }
  }

  #excerpt(): string | null {
    if (this.#statusCode === null) return null;
    // PostgreSQL cannot store NUL characters in text.
    return Buffer.concat(this.#chunks).toString('utf8').replaceAll('\0', '\ufffd');
  }
}

/** Whether the other side closed a connection on which it had already responded to a request. */
const wasConnectionUsed = (error: Error): boolean =>
  error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0;

/** Describes an error for the endpoint's owner, without revealing anything about this machine. */
function describeError(error: Error): string {
  if (error instanceof ForbiddenAddressError) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'The connection could not be established in time.';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'The headers of the response are too large.';
  return code ? `The request failed: ${code}.` : 'The request failed.';
}

/** The result of a delivery for which no request could be made. */
export const notSentResult = (error: string): PostResult => ({
  statusCode: null,
  retryAfter: undefined,
  excerpt: null,
  error,
  latencyMs: 0,
});
