import { CollaborationError } from '../../client/index.ts';
import { pagesOf } from '../../client/pages.ts';
import { delay, retryDelayMs } from '../../client/retry.ts';
import type { KeyTarget } from '../target.ts';
import { bisectFailures } from './bisect-failures.ts';

/** A resource as the hosted service shows it. */
export type Row = Record<string, unknown>;

export interface Page {
  rows: Row[];
  nextPageToken: string | undefined;
}

const TIMEOUT_MS = 120_000;
const PAGE_SIZE = 1000;
/** The most ids that the service accepts in one call. */
export const MAX_IDS = 30;

/** Reads from the hosted service over its REST API. */
export class HostedService {
  readonly #target: KeyTarget;

  constructor(target: KeyTarget) {
    this.#target = target;
  }

  /**
   * Returns `result.data` as a list with the token of the next page. A call that may succeed later is
   * repeated, after the delay that the service asks for.
   *
   * @throws CollaborationError
   */
  async read(path: string, data: object): Promise<Page> {
    const result = await this.#sendWithRetries(path, data);
    // The service names the token in two ways, and puts some lists one level deeper.
    const token = result.nextPageToken ?? result.pageToken;
    const nextPageToken = typeof token === 'string' && token !== '' ? token : undefined;
    return { rows: rowsIn(result.data), nextPageToken };
  }

  pages(path: string, data: object): AsyncGenerator<Page> {
    return pagesOf((pageToken) => this.read(path, { ...data, pageSize: PAGE_SIZE, pageToken }));
  }

  /**
   * Yields, page by page, everything that the operation returns for these documents. If one document is
   * missing, the service refuses the whole call, so the ids are split in half until it is found.
   *
   * @param onMissing is called with each document that the service cannot read
   */
  async *pagesOfDocuments(
    path: string,
    { documentIds, ...data }: { documentIds: string[]; [field: string]: unknown },
    onMissing: (documentId: string) => void,
  ): AsyncGenerator<Row[]> {
    const readable: Array<[first: Page, others: AsyncIterable<Page>]> = [];
    await bisectFailures(documentIds, {
      work: async (ids) => {
        const pages = this.pages(path, { ...data, documentIds: ids });
        const first = await pages.next();
        if (!first.done) readable.push([first.value, pages]);
      },
      isFault: isMissing,
      onFault: onMissing,
    });
    for (const [first, others] of readable) {
      yield first.rows;
      for await (const { rows } of others) yield rows;
    }
  }

  async #sendWithRetries(path: string, data: object): Promise<Row> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#send(path, data);
      } catch (error) {
        if (!(error instanceof CollaborationError)) throw error;
        if (attempt >= maxRetries(error)) throw error;
        await delay(retryDelayMs(attempt, error.retryAfterMs));
      }
    }
  }

  async #send(path: string, data: object): Promise<Row> {
    const { url, apiKey, authToken } = this.#target;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url.replace(/\/$/, '') + path, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        'x-velt-api-key': apiKey,
        'x-velt-auth-token': authToken,
      },
      body: JSON.stringify({ data }),
    }).catch((cause) => {
      throw unreachable(path, cause);
    });
    const body: unknown = await response.json().catch((cause) => {
      if (response.ok) throw unreachable(path, cause);
    });
    if (response.ok && isRow(body) && isRow(body.result)) return body.result;
    throw failure(path, response, body);
  }
}

/** Whether the call may have named something that does not exist: the service then responds with 404 or 500. */
export const isMissing = (error: unknown): boolean =>
  error instanceof CollaborationError && (error.httpStatus === 404 || error.httpStatus === 500);

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function rowsIn(data: unknown): Row[] {
  if (Array.isArray(data)) return data.filter(isRow);
  if (!isRow(data)) return [];
  return Array.isArray(data.results) ? data.results.filter(isRow) : [data];
}

const unreachable = (path: string, cause: unknown) =>
  new CollaborationError({
    message: `The hosted service did not respond to ${path}.`,
    status: 'UNAVAILABLE',
    httpStatus: 0,
    cause,
  });

function failure(path: string, { status, headers }: Response, body: unknown) {
  const error = isRow(body) && isRow(body.error) ? body.error : {};
  const reason = typeof error.message === 'string' ? error.message : 'no readable response';
  const seconds = Number(headers.get('retry-after'));
  return new CollaborationError({
    message: `The hosted service responded to ${path} with ${status}: ${reason}`,
    status: 'INTERNAL',
    httpStatus: status,
    retryAfterMs: seconds > 0 ? seconds * 1000 : undefined,
  });
}

/** Returns how often a failed call is repeated. Its HTTP status is 0 if there was no response. */
function maxRetries({ httpStatus }: CollaborationError): number {
  // Internal errors are rarely temporary: the service also returns them for ids that do not exist.
  if (httpStatus === 500) return 2;
  return httpStatus === 0 || httpStatus === 429 || httpStatus > 500 ? 6 : 0;
}
