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

const organizationId = 'acme';
const bare = { query: 'A refund of 40 euro', decision: 'approved' };
const judgment = { ...bare, organizationId };

describe('memory/judgments/add', () => {
  it('returns ids in the order of the items, and stores every field', async () => {
    const whole = {
      ...judgment,
      documentId: 'contract',
      reasoning: 'Below the limit.',
      reviewer: { userId: 'ada', name: 'Ada' },
      judgeType: 'agent',
      createdAt: NOW - DAY,
    };
    const other = { ...judgment, query: 'A refund of 50 euro', decision: 'deferred' };
    const [first, second] = await memory.add([whole, other]);
    const { results, total } = await memory.query({ organizationId });
    expect(results).toEqual([
      { ...other, recordId: second, judgeType: 'human', createdAt: NOW },
      { ...whole, recordId: first },
    ]);
    expect(total).toBe(2);
  });

  it('stores nothing of a call with one invalid item, or more than 1,000', async () => {
    const wrong: Array<[string, object]> = [
      ['judgments[1].query', { ...judgment, query: '' }],
      ['judgments[1].query', { ...judgment, query: ' \n ' }],
      ['judgments[1].decision', { ...judgment, decision: '' }],
      ['judgments[1].organizationId', { ...bare, documentId: 'contract' }],
      ['judgments[1].judgeType', { ...judgment, judgeType: 'robot' }],
      ['judgments[1].createdAt', { ...judgment, createdAt: -1 }],
      ['judgments[1].createdAt', { ...judgment, createdAt: 1.5 }],
      ['judgments[1].reviewer.userId', { ...judgment, reviewer: { name: 'Ada' } }],
    ];
    for (const [path, item] of wrong) {
      const answer = await memory.call('judgments/add', { judgments: [judgment, item] });
      expect(answer.body, path).toEqual(invalid(path));
    }
    const tooMany = await memory.call('judgments/add', { judgments: Array(1_001).fill(judgment) });
    expect(tooMany.body).toEqual(invalid('judgments'));
    expect((await memory.query({ organizationId })).total).toBe(0);
  });

  it('counts every word when concurrent callers add the same words', async () => {
    const words = ['alpha', 'beta', 'gamma', 'delta'].map((word) => fresh(word));
    const ofCall = (n: number) =>
      (n % 2 ? words : words.toReversed()).map((query) => ({ ...judgment, query }));
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
    const ids = await memory.add(
      Array.from({ length: 9 }, (_, n) => ({
        ...judgment,
        createdAt: NOW - Math.floor(n / 3) * DAY,
      })),
    );
    const seen: string[] = [];
    const read = async (pageToken?: string) =>
      (await memory.call('judgments/query', { organizationId, limit: 2, pageToken })).body.result;
    for await (const { data } of pagesOf(read)) {
      seen.push(...data.results.map(({ recordId }: Loose) => recordId));
      await memory.add([judgment]);
    }
    expect(seen).toEqual([2, 1, 0, 5, 4, 3, 8, 7, 6].map((n) => ids[n]));
  });

  it('combines its filters, and counts the matches', async () => {
    const [ofDocument, rejected, byAgent, byAda] = await memory.add([
      { ...judgment, documentId: 'plan' },
      { ...judgment, decision: 'rejected' },
      { ...judgment, judgeType: 'agent' },
      { ...judgment, reviewer: { userId: 'ada' } },
    ]);
    const found = async (filters: object) => {
      const { results, total } = await memory.query({ organizationId, ...filters });
      expect(total).toBe(results.length);
      return results.map(({ recordId }: Loose) => recordId);
    };
    expect(await found({ documentId: 'plan' })).toEqual([ofDocument]);
    expect(await found({ decision: 'rejected' })).toEqual([rejected]);
    expect(await found({ judgeType: 'agent' })).toEqual([byAgent]);
    expect(await found({ reviewerId: 'ada' })).toEqual([byAda]);
    expect(await found({ reviewerId: 'ada', decision: 'rejected' })).toEqual([]);
    expect(await found({})).toHaveLength(4);
  });

  it('refuses a token of another query, and a document without its organization', async () => {
    await memory.add([judgment, judgment]);
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
    const queries = [
      'Refund the shipping costs of a damaged parcel',
      'Refunding shipping cost: DAMAGED parcels!',
      'Refund a subscription',
      'Résumé of the café',
      'Nothing alike at all',
    ];
    await memory.add(queries.map((query) => ({ ...judgment, query })));
    const found = await memory.search('damaged parcel, refund of shipping cost');
    const order = found.map(({ query }) => query);
    expect([...order.slice(0, 2).toSorted(), ...order.slice(2)]).toEqual(queries.slice(0, 3));
    expect(found[0]?.similarity).toBe(1);
    expect(found[2]?.similarity).toBeLessThan(0.5);
    const [accents] = await memory.search('RESUME cafe');
    expect(accents?.query).toBe(queries[3]);
  });

  it('stays in the given scope', async () => {
    const query = fresh('contract');
    await memory.add([
      { ...judgment, query, documentId: 'plan' },
      { ...judgment, query },
      { ...judgment, query, organizationId: 'other' },
    ]);
    expect(await memory.search(query)).toHaveLength(3);
    expect(await memory.search(query, { organizationId })).toHaveLength(2);
    expect(await memory.search(query, { organizationId, documentId: 'plan' })).toHaveLength(1);
    expect(await memory.search(query, { limit: 2 })).toHaveLength(2);
    const alone = await memory.call('search', { query, documentId: 'plan' });
    expect(alone.body).toEqual(invalid('organizationId'));
  });
});
