import { expect, it } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { makePlan } from '../../support/editors.ts';
import { startTestServer } from '../../support/server.ts';

it('suggestions ask the database equally often, however many they are', async () => {
  const server = await startTestServer({ ROLES: 'api' });
  await makePlan(server);
  const words = Array.from({ length: 12 }, (_, at) => `word${at}.`);
  const editor = { organizationId: 'acme', documentId: 'plan', editorId: 'body' };
  const call = async (path: string, more: object) =>
    dataOf(await server.call(path, { ...editor, ...more }));
  await call('/v2/crdt/add', { type: 'text', data: words.join(' ') });
  const ids: string[] = [];
  const add = async (quotes: string[]) => {
    const suggestions = quotes.map((quote) => ({
      ...{ quote, replacement: 'x', from: { userId: 'ada' } },
    }));
    ids.push(...Object.keys(await call('/v2/suggestions/add', { suggestions })));
  };
  const countOf = async (work: () => Promise<unknown>) => (await server.statementsOf(work)).length;
  const few = await countOf(() => add(words.slice(0, 2)));
  expect(await countOf(() => add(words.slice(2)))).toBe(few);
  for (const verb of ['accept', 'reject']) {
    const decide = (annotationIds: string[]) =>
      countOf(() => call(`/v2/suggestions/${verb}`, { annotationIds }));
    const own = verb === 'accept' ? ids.slice(0, 6) : ids.slice(6);
    expect(await decide(own.slice(0, 2)), verb).toBe(await decide(own.slice(2)));
  }
});
