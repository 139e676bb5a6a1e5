import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers and events of every shape
export type Loose = any;

/** The headers of a request: credentials, and what a test adds to them. */
export type Headers = Record<string, string>;

/** Expects a success, and returns its `result.data`. */
export function dataOf({ status, body }: Answer) {
  expect(body, 'a success').toMatchObject({ result: { status: 'success' } });
  expect(status).toBe(200);
  return body.result.data;
}

/** All pages of a list. `read` returns the `result` of the answer to a page token. */
export async function* pagesOf(
  read: (pageToken?: string) => Promise<Loose>,
): AsyncGenerator<Loose> {
  let pageToken: string | undefined;
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken ?? page.pageToken;
  } while (pageToken);
}

/** The fields of a failure that programs read. */
export const failureOf = ({ status, body }: Answer) => ({
  http: status,
  status: body.error?.status,
  reason: body.error?.details?.reason,
});

/** The failure of an invalid input, which names the field. */
export const invalid = (path: string) => ({
  error: {
    status: 'INVALID_ARGUMENT',
    code: 400,
    message: expect.any(String),
    details: { issues: expect.arrayContaining([{ path, message: expect.any(String) }]) },
  },
});

/** An id that no other test uses, so that tests are independent. */
export const fresh = (kind: string): string => `${kind}-${randomUUID()}`;

/** Ids that could break a parser, a path or an object. */
export const UNUSUAL_IDS = [
  'a/b',
  '../a',
  'a:b',
  'folder:a',
  'two words',
  ' leading and trailing ',
  '👩‍🚀',
  'مستند',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'null',
  '0',
  '-1',
  '%2F',
  '%',
  '_',
  '\\',
  "'; DROP TABLE users; --",
  '"',
  '{a,b}',
  'e\u0301',
  'é',
  'i'.repeat(256),
];
