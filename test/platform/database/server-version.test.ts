import { expect, it } from 'vitest';
import {
  requireEncoding,
  requireTrigrams,
  requireVersion,
} from '../../../src/platform/database/server-version.ts';

it.each([
  ['an old version', () => requireVersion(140_013), /PostgreSQL \d+, but 15 or newer is needed/],
  ['an encoding', () => requireEncoding('LATIN1'), /the encoding LATIN1, but UTF8 is needed/],
  ['no pg_trgm', () => requireTrigrams(false, null), /lacks the extension pg_trgm/],
])('a server with %s is refused with a sentence that says so', (_what, check, message) => {
  expect(check).toThrow(message);
});

it('PostgreSQL 15 is accepted', () => {
  expect(() => requireVersion(150_000)).not.toThrow();
});
