import { expect, it } from 'vitest';
import { MAX_STREAMS } from '../../../src/api/subscriptions/open-streams.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { fresh } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { scrape } from '../../support/scrape.ts';
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
const annotations = annotationsOf(server);
const place = annotations.place();
const { organizationId, documentId } = place;
await organize(server, organizationId, { documents: [{ documentId, accessType: 'public' }] });
const visitor = () => userHeaders(server, fresh('ada'), []);

it('too many subscriptions of one user are refused until one is closed, while others may open theirs', async () => {
  const own = await visitor();
  const all: Subscription[] = [];
  while (all.length < MAX_STREAMS.user) {
    const five = Array.from({ length: 5 }, () => subscribe(server.url, own, 'comments', place));
    all.push(...(await Promise.all(five)));
  }
  expect(all.filter(({ failure }) => failure)).toEqual([]);
  const refused = await subscribe(server.url, own, 'comments', place);
  expect(refused.failure?.data?.status).toBe('RESOURCE_EXHAUSTED');
  for (const other of [server.keyHeaders, await visitor()]) {
    const seen = await subscribe(server.url, other, 'comments', place);
    expect(seen.failure).toBeUndefined();
  }
  all[0]?.close();
  await eventually(async () => {
    const again = await subscribe(server.url, own, 'comments', place);
    expect(again.failure).toBeUndefined();
  });
});

it('open subscriptions are counted in the metrics', async () => {
  const gauge = async () => (await scrape(server.url)).get('open_subscriptions');
  await eventually(async () => expect(await gauge()).toBe(0));
  const seen = await subscribe(server.url, server.keyHeaders, 'comments', place);
  expect(await gauge()).toBe(1);
  seen.close();
  await eventually(async () => expect(await gauge()).toBe(0));
});

it('a comment is read once, with one access check, whatever the number of subscribers', async () => {
  await annotations.add(place, [{}]);
  const all: Subscription[] = [];
  for (let n = 0; n < 20; n++) {
    all.push(await subscribe(server.url, await visitor(), 'comments', place));
  }
  const readsOfOne = async () => {
    const before = reads;
    const counts = all.map(({ items }) => items.length);
    await annotations.add(place, [{}]);
    await eventually(() =>
      expect(all.map(({ items }) => items.length)).toEqual(counts.map((count) => count + 1)),
    );
    return reads - before;
  };
  expect(await readsOfOne()).toBeLessThanOrEqual(2);
  // Access did not change, so the cached decision is still valid.
  expect(await readsOfOne()).toBe(1);
});
