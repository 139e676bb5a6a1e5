import { describe, expect, it } from 'vitest';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf, fresh, type Headers, invalid } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { allEvents, type PublishedEvent } from '../../support/events.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const clock = { now: () => Date.UTC(2027, 0, 5, 9) };
const server = await startTestServer({}, { clock });
/** Another process on the same database. */
const second = await startTestServer({ DATABASE_URL: server.databaseUrl }, { clock });

const ask = (query: object, headers?: Headers) => server.call('/v2/events/get', query, headers);
const get = async (
  query: object,
  headers?: Headers,
): Promise<{ events: PublishedEvent[]; cursor: string }> => dataOf(await ask(query, headers));
const idsOf = (events: PublishedEvent[]) => events.map(({ id }) => id);
const typesOf = (events: PublishedEvent[]) => events.map(({ type }) => type);

const addUsers = (headers: Headers, data: object) => server.ok('/v1/users/add', data, headers);
const addDocuments = (headers: Headers, organizationId: string, documents: string[]) =>
  organize(server, organizationId, { documents }, headers);

/** A key with an organization and these documents, which makes one event each. */
async function tenantWith(documents: string[]) {
  const headers = await createTenant(server);
  await addDocuments(headers, 'acme', documents);
  return headers;
}

describe('events/get', () => {
  it('returns an event for every change, in order, with its place', async () => {
    const headers = await createTenant(server);
    const plan = { documentName: 'Plan', accessType: 'restricted', tag: 'x' };
    const documents = [{ documentId: 'd', ...plan }];
    await organize(server, 'acme', { folders: ['f'], documents }, headers);
    const users = [{ userId: 'ada', name: 'Ada', accessRole: 'viewer' }];
    for (const documentId of [undefined, 'new', undefined]) {
      await addUsers(headers, { organizationId: 'acme', documentId, users });
    }
    const { events } = await get({}, headers);
    expect(events.map(({ type, metadata }) => [type, metadata.documentId])).toEqual([
      ['organization.add', undefined],
      ['folder.add', undefined],
      ['document.add', 'd'],
      ['user.add', undefined],
      ['document.add', 'new'],
      ['user.add', 'new'],
      ['user.update', undefined],
    ]);
    expect(events[2]).toEqual({
      id: expect.stringMatching(/^\w{20}$/),
      type: 'document.add',
      timestamp: '2027-01-05T09:00:00.000Z',
      metadata: { apiKey: headers['x-svc-api-key'], organizationId: 'acme', documentId: 'd' },
      data: { id: 'd', ...plan, disabled: false },
    });
  });

  it('ends a page with the event that brings it to 32 MB, and the next page continues', async () => {
    const headers = await tenantWith(['a', 'b', 'c', 'd']);
    const MB = 1024 * 1024;
    // Afterwards, all events are in the log.
    await get({}, headers);
    await server.app.services.db.query(sql`
      UPDATE events SET data = to_json(repeat('x', ${12 * MB}))
      WHERE tenant_id = ${headers['x-svc-api-key']} AND type = 'document.add'`);
    const first = await get({}, headers);
    expect(typesOf(first.events)).toEqual(['organization.add', ...Array(3).fill('document.add')]);
    const second = await get({ after: first.cursor }, headers);
    expect(typesOf(second.events)).toEqual(['document.add']);
    expect((await get({ after: second.cursor }, headers)).events).toEqual([]);
  });

  it('returns events once, in order, in pages of any size', async () => {
    // The texts of the later events' numbers would sort differently.
    const ids = Array.from({ length: 100 }, (_, index) => `d${String(index).padStart(2, '0')}`);
    const headers = await tenantWith(ids);
    for (const limit of [1, 33, 101]) {
      const seen: Array<string | undefined> = [];
      let page = await get({ limit }, headers);
      while (page.events.length > 0) {
        expect(page.events.length).toBeLessThanOrEqual(limit);
        seen.push(...page.events.map(({ metadata }) => metadata.documentId));
        page = await get({ limit, after: page.cursor }, headers);
      }
      expect(seen).toEqual([undefined, ...ids]);
    }
  });

  it('returns only the requested types, and skips none of them after a cursor', async () => {
    const headers = await tenantWith(['a', 'b']);
    await addUsers(headers, { organizationId: 'acme', users: [{ userId: 'ada' }] });
    const types = async (eventTypes: string[]) =>
      typesOf((await get({ types: eventTypes }, headers)).events);
    expect(await types(['user.add'])).toEqual(['user.add']);
    const both = ['organization.add', 'user.add'];
    expect(await types(both)).toEqual(both);
    expect(await types(['document.delete'])).toEqual([]);
    const misspelt = await ask({ types: ['user.add', 'users.add'] }, headers);
    expect(misspelt.body).toEqual(invalid('types[1]'));
    expect(await types([])).toHaveLength(4);
    const added = { types: ['document.add'] };
    const first = await get({ ...added, limit: 1 }, headers);
    const rest = await get({ ...added, after: first.cursor }, headers);
    expect([first, rest].map(({ events }) => events.length)).toEqual([1, 1]);
    await addDocuments(headers, 'acme', ['c']);
    expect((await get({ ...added, after: rest.cursor }, headers)).events).toHaveLength(1);
  });

  it('returns everything that was committed before the call by any process, and nothing for a new key', async () => {
    const headers = await createTenant(server);
    let { events, cursor } = await get({}, headers);
    expect(events).toEqual([]);
    for (let round = 0; round < 6; round++) {
      const writer = round % 2 === 0 ? server : second;
      const added = { organizationId: 'acme', users: [{ userId: `u${round}` }] };
      await writer.ok('/v1/users/add', added, headers);
      const reader = round % 3 === 0 ? server : second;
      ({ events, cursor } = await reader.ok('/v2/events/get', { after: cursor }, headers));
      expect(events.at(-1)?.data.userId).toBe(`u${round}`);
    }
  });
});

it('a cursor of another key is refused like a forged one, and does not reveal how many events others have', async () => {
  const [mine, theirs] = [await tenantWith(['a']), await tenantWith(['a'])];
  const { cursor } = await get({}, theirs);
  const forged = ['forged', '', '0', `${cursor}x`, `${cursor}.x`, cursor.slice(0, -1)];
  const answers = await Promise.all([cursor, ...forged].map((after) => ask({ after }, mine)));
  expect(answers[0]?.body).toEqual(invalid('after'));
  for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
  const again = await get({}, theirs);
  expect(again.cursor).not.toBe(cursor);
  expect(again.cursor).toHaveLength(cursor.length);
});

it('a reader that follows the log through two processes during many writes reads each event once, in one order for all readers, up to the final state', async () => {
  const headers = await createTenant(server);
  const organizationId = fresh('org');
  const userIds = Array.from({ length: 25 }, (_, index) => `u${index}`);
  async function write(writer: number) {
    for (let round = 0; round < 8; round++) {
      const users = userIds
        .filter(() => Math.random() < 0.5)
        .concat('always')
        .map((userId) => ({ userId, accessRole: Math.random() < 0.5 ? 'viewer' : 'editor' }));
      const process = (writer + round) % 2 === 0 ? server : second;
      await process.ok('/v1/users/add', { organizationId, users }, headers);
      written += users.length;
    }
  }
  let written = 0;
  let writing = true;
  const writers = Array.from({ length: 6 }, (_, writer) => write(writer));
  const allWritten = Promise.all(writers).finally(() => {
    writing = false;
  });

  const seen: PublishedEvent[] = [];
  let after: string | undefined;
  for (let more = true; more; ) {
    const wasWriting = writing;
    const reader = seen.length % 2 === 0 ? server : second;
    const page = await reader.ok('/v2/events/get', { after, limit: 50 }, headers);
    seen.push(...page.events);
    after = page.cursor;
    more = wasWriting || page.events.length > 0;
  }
  await allWritten;

  const ids = idsOf(seen);
  expect(new Set(ids).size, 'nothing twice').toBe(ids.length);
  expect(ids.length, 'nothing skipped').toBe(written + 1);
  expect(ids, 'one order').toEqual(idsOf(await allEvents(server, {}, headers)));
  const ofUsers = seen.slice(1);
  const finalRoles = new Map(ofUsers.map(({ data }) => [data.userId, data.accessRole]));
  const query = { organizationId, userIds: [...finalRoles.keys()] };
  const permissions = await server.ok('/v2/auth/permissions/get', query, headers);
  for (const [userId, role] of finalRoles) {
    expect(permissions[userId].organization[organizationId].accessRole, userId).toBe(role);
  }
  const firstTypes = new Map(ofUsers.toReversed().map(({ data, type }) => [data.userId, type]));
  expect(new Set(firstTypes.values()), 'added before updated').toEqual(new Set(['user.add']));
});
