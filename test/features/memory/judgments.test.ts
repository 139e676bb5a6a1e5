import { beforeEach, describe, expect, it } from 'vitest';
import { termKey } from '../../../src/features/memory/text/term-keys.ts';
import { termsOf } from '../../../src/features/memory/text/terms.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { fresh, type Headers, invalid, type Loose, pagesOf } from '../../support/answers.ts';
import { memoryOf } from '../../support/memory.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

const server = await startTestServer({ ROLES: 'api' }, { clock: { now: () => NOW } });
let headers: Headers;
let memory: ReturnType<typeof memoryOf>;
// Each test has a memory of its own, since a search finds all judgments of the key with a common word.
beforeEach(async () => {
  headers = await createTenant(server);
  memory = memoryOf(server, headers);
});

const judgment = { query: 'A refund of 40 euro', decision: 'approved' };

describe('memory/judgments/add', () => {
  it('returns ids in the order of the items, and stores every field', async () => {
    const organizationId = fresh('org');
    const whole = {
      ...judgment,
      organizationId,
      documentId: 'contract',
      reasoning: 'Below the limit.',
      reviewer: { userId: 'ada', name: 'Ada' },
      judgeType: 'agent',
      createdAt: NOW - DAY,
    };
    const bare = { query: 'A refund of 50 euro', decision: 'deferred', organizationId };
    const [first, second] = await memory.add([whole, bare]);
    const { results, total } = await memory.query({ organizationId });
    expect(results).toEqual([
      { ...bare, recordId: second, judgeType: 'human', createdAt: NOW },
      { ...whole, recordId: first },
    ]);
    expect(total).toBe(2);
  });

  it('stores nothing of a call with one invalid item', async () => {
    const organizationId = fresh('org');
    const right = { ...judgment, organizationId };
    const wrong: Array<[string, object]> = [
      ['judgments[1].query', { ...right, query: '' }],
      ['judgments[1].query', { ...right, query: ' \n ' }],
      ['judgments[1].decision', { ...right, decision: '' }],
      ['judgments[1].organizationId', { ...judgment, documentId: 'contract' }],
      ['judgments[1].judgeType', { ...right, judgeType: 'robot' }],
      ['judgments[1].createdAt', { ...right, createdAt: -1 }],
      ['judgments[1].createdAt', { ...right, createdAt: 1.5 }],
      ['judgments[1].reviewer.userId', { ...right, reviewer: { name: 'Ada' } }],
    ];
    for (const [path, item] of wrong) {
      const answer = await memory.call('judgments/add', { judgments: [right, item] });
      expect(answer.body, path).toEqual(invalid(path));
    }
    expect((await memory.query({ organizationId })).total).toBe(0);
  });

  it('accepts at most 1,000 judgments', async () => {
    const organizationId = fresh('org');
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...judgment,
        query: `Item ${n}`,
        organizationId,
      }));
    await memory.add(many(1000));
    const answer = await memory.call('judgments/add', { judgments: many(1001) });
    expect(answer.body).toEqual(invalid('judgments'));
    expect((await memory.query({ organizationId })).total).toBe(1000);
  });

  it('counts every word when concurrent callers add the same words', async () => {
    const organizationId = fresh('org');
    const words = ['alpha', 'beta', 'gamma', 'delta'].map((word) => fresh(word));
    const ofCall = (n: number) =>
      (n % 2 ? words : words.toReversed()).map((query) => ({ ...judgment, query, organizationId }));
    await Promise.all(Array.from({ length: 12 }, (_, n) => memory.add(ofCall(n))));
    expect((await memory.query({ organizationId })).total).toBe(48);
    const apiKey = headers['x-svc-api-key'] ?? '';
    const keys = words.flatMap((word) => {
      const [term = ''] = termsOf(word).keys();
      return [termKey(apiKey, null, term), termKey(apiKey, organizationId, term)];
    });
    const counted = await server.app.services.db.query<{ judgments: number }>(sql`
      SELECT judgments FROM memory_terms WHERE tenant_id = ${apiKey} AND term = ANY(${keys})`);
    expect(counted).toEqual(keys.map(() => ({ judgments: 12 })));
  });
});

describe('memory/judgments/query', () => {
  it('pages from the newest, without gaps or repeats while others are added', async () => {
    const organizationId = fresh('org');
    const ids = await memory.add(
      Array.from({ length: 9 }, (_, n) => ({
        ...judgment,
        organizationId,
        createdAt: NOW - Math.floor(n / 3) * DAY,
      })),
    );
    const seen: string[] = [];
    const read = async (pageToken?: string) =>
      (await memory.call('judgments/query', { organizationId, limit: 2, pageToken })).body.result;
    for await (const { data } of pagesOf(read)) {
      seen.push(...data.results.map(({ recordId }: Loose) => recordId));
      await memory.add([{ ...judgment, organizationId }]);
    }
    expect(seen).toEqual([2, 1, 0, 5, 4, 3, 8, 7, 6].map((n) => ids[n]));
  });

  it('combines its filters, and counts the matches', async () => {
    const organizationId = fresh('org');
    const base = { ...judgment, organizationId };
    const [ofDocument, rejected, byAgent, byAda] = await memory.add([
      { ...base, documentId: 'plan' },
      { ...base, decision: 'rejected' },
      { ...base, judgeType: 'agent' },
      { ...base, reviewer: { userId: 'ada' } },
    ]);
    const found = async (filters: object) => {
      const { results, total } = await memory.query({ organizationId, ...filters });
      expect(total).toBe(results.length);
      return results.map(({ recordId }: { recordId: string }) => recordId);
    };
    expect(await found({ documentId: 'plan' })).toEqual([ofDocument]);
    expect(await found({ decision: 'rejected' })).toEqual([rejected]);
    expect(await found({ judgeType: 'agent' })).toEqual([byAgent]);
    expect(await found({ reviewerId: 'ada' })).toEqual([byAda]);
    expect(await found({ reviewerId: 'ada', decision: 'rejected' })).toEqual([]);
    expect(await found({})).toHaveLength(4);
  });

  it('refuses a token of another query, and a document without its organization', async () => {
    const organizationId = fresh('org');
    await memory.add([judgment, judgment].map((one) => ({ ...one, organizationId })));
    const { body } = await memory.call('judgments/query', { organizationId, limit: 1 });
    const pageToken = body.result.nextPageToken;
    const other = await memory.call('judgments/query', { organizationId: 'x', pageToken });
    expect(other.body).toEqual(invalid('pageToken'));
    const alone = await memory.call('judgments/query', { documentId: 'plan' });
    expect(alone.body).toEqual(invalid('organizationId'));
  });
});

describe('memory/search', () => {
  it('finds the most similar first, in any case, accents, endings and order', async () => {
    const organizationId = fresh('org');
    const queries = [
      'Refund the shipping costs of a damaged parcel',
      'Refunding shipping cost: DAMAGED parcels!',
      'Refund a subscription',
      'Résumé of the café',
      'Nothing alike at all',
    ];
    await memory.add(queries.map((query) => ({ ...judgment, query, organizationId })));
    const found = await memory.search('damaged parcel, refund of shipping cost', {
      organizationId,
    });
    const three = queries.slice(0, 3).toSorted();
    expect(found.map(({ query }) => query).toSorted()).toEqual(three);
    expect(new Set(found.slice(0, 2).map(({ query }) => query))).toEqual(
      new Set(queries.slice(0, 2)),
    );
    expect(found[0]?.similarity).toBe(1);
    expect(found[2]?.similarity).toBeLessThan(0.5);
    const [accents] = await memory.search('RESUME cafe', { organizationId });
    expect(accents?.query).toBe(queries[3]);
  });

  it('stays in the given scope', async () => {
    const [organizationId, other] = [fresh('org'), fresh('org')];
    const query = fresh('contract');
    await memory.add([
      { ...judgment, query, organizationId, documentId: 'plan' },
      { ...judgment, query, organizationId },
      { ...judgment, query, organizationId: other },
    ]);
    expect(await memory.search(query)).toHaveLength(3);
    expect(await memory.search(query, { organizationId })).toHaveLength(2);
    expect(await memory.search(query, { organizationId, documentId: 'plan' })).toHaveLength(1);
    expect(await memory.search(query, { limit: 2 })).toHaveLength(2);
    const alone = await memory.call('search', { query, documentId: 'plan' });
    expect(alone.body).toEqual(invalid('organizationId'));
  });
});
