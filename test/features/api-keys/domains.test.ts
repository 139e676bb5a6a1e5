import { beforeEach, describe, expect, it } from 'vitest';
import { createTenant, testServer } from '../../support/server.ts';

const server = testServer();
let headers: Record<string, string>;
beforeEach(async () => {
  headers = await createTenant(server);
});

const call = (operation: string, data: object) =>
  server.call(`/v2/workspace/domains/${operation}`, data, headers);
const add = async (...domains: string[]) => (await call('add', { domains })).body;
const remove = async (...domains: string[]) => (await call('delete', { domains })).body;
const stored = async () => (await call('get', {})).body.result.data.allowedDomains;
const statusFrom = async (origin: string) =>
  (await server.call('/v2/events/get', {}, { ...headers, origin })).status;

describe('workspace/domains/add', () => {
  it('returns the stored values', async () => {
    expect(await add('https://www.example.com:8443/app?q#h', '*.Example.org')).toEqual({
      result: {
        status: 'success',
        message: 'Domain(s) added successfully.',
        data: { domainsAdded: ['example.com', '*.example.org'] },
      },
    });
    expect(await stored()).toEqual(['example.com', '*.example.org']);
  });

  it('counts duplicates in one request once, in any spelling', async () => {
    const answer = await add('example.com', 'https://EXAMPLE.com/', 'www.example.com');
    expect(answer.result.data).toEqual({ domainsAdded: ['example.com'] });
    expect(await stored()).toEqual(['example.com']);
  });

  it('adds the new domains, and fails with INTERNAL when some exist already', async () => {
    await add('a.example.com', 'b.example.com');
    const { status, body } = await call('add', {
      domains: ['https://b.example.com', 'c.example.com', 'a.example.com', 'd.example.com'],
    });
    expect(status).toBe(500);
    expect(body).toEqual({
      error: {
        status: 'INTERNAL',
        code: 500,
        message: 'Existing domains were skipped; the others were added.',
        details: {
          domainsAdded: ['c.example.com', 'd.example.com'],
          skippedDomains: ['b.example.com', 'a.example.com'],
        },
      },
    });
    expect(await stored()).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name}.example.com`));
  });

  it.each(['no domain', '', 'example', 'http://', '*', '*.', 'a..b', '*.localhost', '-a.com'])(
    'refuses the whole call for %j, also to delete',
    async (bad) => {
      await add('a.example.com');
      for (const call of [add, remove]) {
        const { error } = await call('a.example.com', bad);
        expect(error).toMatchObject({ status: 'INVALID_ARGUMENT' });
        expect(error.details.issues[0].path).toBe('domains[1]');
      }
      expect(await stored()).toEqual(['a.example.com']);
    },
  );

  it('accepts 1 to 100 domains', async () => {
    const domains = Array.from({ length: 101 }, (_, at) => `d${at}.example.com`);
    expect((await add(...domains)).error.details.issues[0].path).toBe('domains');
    expect((await add()).error.details.issues[0].path).toBe('domains');
    expect(await stored()).toEqual([]);
    expect((await add(...domains.slice(0, 100))).result.data.domainsAdded).toHaveLength(100);
  });

  it('stores at most 1,000 domains', async () => {
    const hundred = (from: number) =>
      Array.from({ length: 100 }, (_, at) => `d${from * 100 + at}.example.com`);
    for (let from = 0; from < 10; from++) await add(...hundred(from));
    expect((await add('one.more.example.com')).error.status).toBe('INVALID_ARGUMENT');
    expect(await stored()).toHaveLength(1000);
  });

  it('adds each domain once under concurrency', async () => {
    const domains = ['a.example.com', 'b.example.com'];
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(...domains)));
    expect(answers.filter(({ result }) => result)).toHaveLength(1);
    for (const { error } of answers.filter((answer) => answer.error)) {
      expect(error.details).toEqual({ domainsAdded: [], skippedDomains: domains });
    }
    expect(await stored()).toEqual(domains);
  });

  it('restricts this key only, as soon as the call is answered', async () => {
    expect(await statusFrom('https://other.example')).toBe(200);
    await add('example.com', '*.example.org', 'localhost');
    for (const [origin, status] of [
      ['https://example.com', 200],
      ['https://a.b.example.org', 200],
      ['http://localhost:3000', 200],
      ['https://example.org', 403],
      ['https://other.example', 403],
    ] as const) {
      expect(await statusFrom(origin), origin).toBe(status);
    }
    await remove('example.com');
    expect(await statusFrom('https://example.com')).toBe(403);
    headers = await createTenant(server);
    expect(await stored()).toEqual([]);
  });
});

describe('workspace/domains/delete', () => {
  it('returns the removed domains, in any spelling', async () => {
    await add('a.example.com', 'b.example.com', '*.example.org');
    expect(await remove('https://B.example.com/x', '*.example.org', 'b.example.com')).toEqual({
      result: {
        status: 'success',
        message: 'Domain(s) removed successfully.',
        data: { domainsRemoved: ['b.example.com', '*.example.org'] },
      },
    });
    expect(await stored()).toEqual(['a.example.com']);
  });

  it('removes the existing domains, and fails with INTERNAL when some do not exist', async () => {
    await add('a.example.com', 'b.example.com');
    const { error } = await remove('b.example.com', 'c.example.com');
    expect(error).toMatchObject({
      status: 'INTERNAL',
      details: { domainsRemoved: ['b.example.com'], skippedDomains: ['c.example.com'] },
    });
    expect(await stored()).toEqual(['a.example.com']);
  });
});
