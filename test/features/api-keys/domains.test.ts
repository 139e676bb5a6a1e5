import { beforeEach, describe, expect, it } from 'vitest';
import { invalid } from '../../support/answers.ts';
import { createTenant, testServer } from '../../support/server.ts';

const server = testServer({ ROLES: 'api' });
let headers: Record<string, string>;
beforeEach(async () => {
  headers = await createTenant(server);
});

const call = async (operation: string, domains: string[]) =>
  (await server.call(`/v2/workspace/domains/${operation}`, { domains }, headers)).body;
const add = (...domains: string[]) => call('add', domains);
const remove = (...domains: string[]) => call('delete', domains);
const stored = async () =>
  (await server.ok('/v2/workspace/domains/get', {}, headers)).allowedDomains;
const statusFrom = async (origin: string) =>
  (await server.call('/v2/events/get', {}, { ...headers, origin })).status;

describe('workspace/domains/add', () => {
  it('stores and returns hosts, duplicates in any spelling once', async () => {
    const domains = ['https://www.example.com:8443/app?q#h', '*.Example.org', 'EXAMPLE.com'];
    expect(await add(...domains)).toEqual({
      result: {
        status: 'success',
        message: 'Domain(s) added successfully.',
        data: { domainsAdded: ['example.com', '*.example.org'] },
      },
    });
    expect(await stored()).toEqual(['example.com', '*.example.org']);
    const given = { allowedDomains: domains, addLocalHostToAllowedDomains: true };
    headers = await createTenant(server, given);
    expect(await stored()).toEqual(['example.com', '*.example.org', 'localhost']);
  });

  it('adds the new domains, and fails with INTERNAL when some exist already', async () => {
    await add('a.example.com', 'b.example.com');
    const given = ['https://b.example.com', 'c.example.com', 'a.example.com', 'd.example.com'];
    expect(await add(...given)).toEqual({
      error: {
        ...{ status: 'INTERNAL', code: 500 },
        message: 'Existing domains were skipped; the others were added.',
        details: {
          domainsAdded: ['c.example.com', 'd.example.com'],
          skippedDomains: ['b.example.com', 'a.example.com'],
        },
      },
    });
    expect(await stored()).toEqual(['a', 'b', 'c', 'd'].map((name) => `${name}.example.com`));
  });

  it('refuses the whole call for an invalid domain, also to delete', async () => {
    await add('a.example.com');
    const invalidOnes = ['no domain', '', 'example', 'http://', '*', '*.', 'a..b', '*.localhost'];
    for (const bad of [...invalidOnes, '-a.com']) {
      for (const change of [add, remove]) {
        expect(await change('a.example.com', bad)).toEqual(invalid('domains[1]'));
      }
    }
    expect(await stored()).toEqual(['a.example.com']);
  });

  it('accepts 1 to 100 domains, and stores at most 1,000', async () => {
    const domains = Array.from({ length: 1001 }, (_, at) => `d${at}.example.com`);
    expect(await add(...domains.slice(0, 101))).toEqual(invalid('domains'));
    expect(await add()).toEqual(invalid('domains'));
    for (let from = 0; from < 1000; from += 100) await add(...domains.slice(from, from + 100));
    expect((await add(...domains.slice(1000))).error.status).toBe('INVALID_ARGUMENT');
    expect(await stored()).toHaveLength(1000);
  });

  it('adds each domain once under concurrency', async () => {
    const domains = ['a.example.com', 'b.example.com'];
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(...domains)));
    const failed = answers.filter(({ error }) => error).map(({ error }) => error.details);
    expect(failed).toEqual(Array(7).fill({ domainsAdded: [], skippedDomains: domains }));
    expect(await stored()).toEqual(domains);
  });

  it('restricts this key only, as soon as the call is answered', async () => {
    expect(await statusFrom('https://other.example')).toBe(200);
    await add('example.com', '*.example.org', 'localhost');
    expect(await statusFrom('https://example.com')).toBe(200);
    expect(await statusFrom('http://localhost:3000')).toBe(200);
    expect(await statusFrom('https://other.example')).toBe(403);
    const overTrpc = { headers: { ...headers, origin: 'https://other.example' } };
    expect((await fetch(`${server.url}/trpc/events.get`, overTrpc)).status).toBe(403);
    await remove('example.com');
    expect(await statusFrom('https://example.com')).toBe(403);
  });
});

it('workspace/domains/delete returns the removed domains, and fails with INTERNAL when some do not exist', async () => {
  await add('a.example.com', 'b.example.com', '*.example.org');
  expect(await remove('https://B.example.com/x', '*.example.org', 'b.example.com')).toEqual({
    result: {
      status: 'success',
      message: 'Domain(s) removed successfully.',
      data: { domainsRemoved: ['b.example.com', '*.example.org'] },
    },
  });
  expect(await stored()).toEqual(['a.example.com']);
  expect((await remove('a.example.com', 'c.example.com')).error).toMatchObject({
    status: 'INTERNAL',
    details: { domainsRemoved: ['a.example.com'], skippedDomains: ['c.example.com'] },
  });
  expect(await stored()).toEqual([]);
});
