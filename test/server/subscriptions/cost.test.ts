import { expect, it } from 'vitest';
import type { Database } from '../../../src/platform/database/database.ts';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServer } from '../../support/server.ts';
import { watchStatements } from '../../support/statements.ts';
import { type Subscription, subscribe } from '../../support/subscriptions.ts';

/** A read of events with their data, or of the grants that decide about access. */
const READ = /octet_length\(data::text\)|FROM grants\s+WHERE tenant_id/;

let reads = 0;
const onDatabase = ({ pool }: Database) =>
  watchStatements(pool, (text) => {
    if (READ.test(text)) reads++;
  });
const server = await startTestServer({ ROLES: 'api' }, { onDatabase });

it('a comment is read once, with one access check, whatever the number of subscribers', async () => {
  const annotations = annotationsOf(server);
  const place = annotations.place();
  await annotations.add(place, [{}]);
  const all: Subscription[] = [];
  const join = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const headers = await userHeaders(server, `user-${all.length}`, []);
      all.push(await subscribe(server.url, headers, 'comments', place));
    }
  };
  const readsOfOne = async () => {
    const before = reads;
    const counts = all.map(({ items }) => items.length);
    await annotations.add(place, [{}]);
    await eventually(() =>
      expect(all.map(({ items }) => items.length)).toEqual(counts.map((count) => count + 1)),
    );
    return reads - before;
  };
  await join(40);
  expect(await readsOfOne()).toBeLessThanOrEqual(2);
  // Access did not change, so the cached decision is still valid.
  expect(await readsOfOne()).toBe(1);
});
