import { expect, it } from 'vitest';
import {
  requireEncoding,
  requireTrigrams,
  requireVersion,
} from '../../../src/platform/database/server-version.ts';

it.each([90_600, 140_013])('version %i is refused with a clear message', (version) => {
  expect(() => requireVersion(version)).toThrow(/PostgreSQL \d+, but 15 or newer is needed/);
});

it.each([150_000, 180_004])('version %i is accepted', (version) => {
  expect(() => requireVersion(version)).not.toThrow();
});

it('a database must take every character', () => {
  expect(() => requireEncoding('LATIN1')).toThrow(/the encoding LATIN1, but UTF8 is needed/);
  expect(() => requireEncoding('UTF8')).not.toThrow();
});

it('a server must have the extension pg_trgm', () => {
  expect(() => requireTrigrams(false, null)).toThrow(/lacks the extension pg_trgm/);
  expect(() => requireTrigrams(true, null)).not.toThrow();
});
