import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from './server.ts';

/** `result.data` of an answer that must be a success. */
export function dataOf({ status, body }: Answer) {
  expect(body, 'a success').toMatchObject({ result: { status: 'success' } });
  expect(status).toBe(200);
  return body.result.data;
}

/** What programs look at in a failure. */
export const failureOf = ({ status, body }: Answer) => ({
  http: status,
  status: body.error?.status,
  reason: body.error?.details?.reason,
});

/** The failure of an input that does not fit, which names the field. */
export const invalid = (path: string) => ({
  error: {
    status: 'INVALID_ARGUMENT',
    code: 400,
    message: expect.any(String),
    details: { issues: expect.arrayContaining([{ path, message: expect.any(String) }]) },
  },
});

/** An id that no other test uses, so that tests do not depend on each other. */
export const fresh = (kind: string): string => `${kind}-${randomUUID()}`;

/** Ids that have broken somebody's parser, path, or object before. */
export const DIFFICULT_IDS = [
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
