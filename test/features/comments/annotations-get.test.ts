import { describe, expect, it } from 'vitest';
import { annotationsOf, keyWithPrivateComments, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

/** The clock advances by a millisecond with every read. */
let time = 1_790_000_000_000;
const START = time;

const server = await startTestServer({}, { clock: { now: () => ++time } });
const headers = await createTenant(server);
const comments = annotationsOf(server, headers);
const place = comments.place();
const say = (userId: string, more: object = {}) => ({
  commentData: [{ commentText: 'x', from: { userId }, ...more }],
});
const run = { agentId: 'bot', executionId: 'run' };
const agent = { ...run, agentType: 'custom', agentSource: 'internal' };
const mentions = { taggedUserContacts: [{ userId: 'ada' }, { userId: 'eve' }] };
const one = (annotation: object, where = place) => comments.add(where, [annotation]);
await one({ annotationId: 'a', ...say('ada'), location: { id: 1 } });
await one({ annotationId: 'b', ...say('grace', mentions) });
await one({ annotationId: 'c', ...say('ada', { agent }), status: { id: 'IN_PROGRESS' } });
await one({ annotationId: 'd', ...say('ada', { agent }), type: 'suggestion', locationId: 'two' });
await one({ annotationId: 'e', ...say('eve') }, { ...place, documentId: 'other' });
await one({ annotationId: 'f', ...say('eve') }, comments.place());

describe('commentannotations/get', () => {
  it.each([
    [{ userIds: ['ada'] }, 'dca'],
    [{ userIds: ['ada', 'grace'] }, 'dcba'],
    [{ mentionedUserIds: ['ada'] }, 'b'],
    [{ mentionedUserIds: ['ada', 'nobody'], userIds: ['ada'] }, ''],
    [{ statusIds: ['IN_PROGRESS'] }, 'c'],
    [{ statusIds: ['OPEN', 'IN_PROGRESS'] }, 'edcba'],
    [{ locationIds: [1] }, 'a'],
    [{ locationIds: ['1', 'two'] }, 'da'],
    [{ agentId: 'bot' }, 'dc'],
    [{ executionId: 'run' }, 'dc'],
    [{ agentType: 'custom' }, 'dc'],
    [{ agentType: 'external' }, ''],
    [{ agentSource: 'internal' }, 'dc'],
    [{ agentSuggestions: true }, 'd'],
    [{ agentComments: true }, 'c'],
    [{ agentSuggestions: true, agentComments: true }, 'dc'],
    [{ resolvedBy: 'ada' }, ''],
    [{ documentId: 'other' }, 'e'],
    [{ documentIds: ['other', 'unknown'] }, 'e'],
    [{ documentIds: [], userIds: [], statusIds: [] }, 'edcba'],
    [{ order: 'asc' }, 'abcde'],
    [{ somethingElse: 5 }, 'edcba'],
    [{ createdAfter: START, updatedAfter: START }, 'edcba'],
    [{ createdBefore: START, updatedBefore: START }, ''],
    [{ userIds: ['ada'], statusIds: ['OPEN'], locationIds: ['two'], agentId: 'bot' }, 'd'],
  ])('filters by %j', async (filters, expected) => {
    const { organizationId } = place;
    expect((await comments.ids({ organizationId, ...filters })).join('')).toBe(expected);
  });

  it('searches the whole key, and no other key, without an organization', async () => {
    expect((await comments.ids({})).join('')).toBe('fedcba');
    expect(await comments.ids({ userIds: ['eve'] })).toEqual(['f', 'e']);
    const other = annotationsOf(server, await createTenant(server));
    expect(await other.ids({})).toEqual([]);
    expect(await other.ids({ annotationIds: ['a'] })).toEqual([null]);
  });

  it('treats bounds as exclusive', async () => {
    const [{ createdAt, lastUpdated }] = await comments.get({ annotationIds: ['c'] });
    const ids = async (filters: object) => (await comments.ids({ ...place, ...filters })).join('');
    expect(await ids({ createdAfter: createdAt })).toBe('d');
    expect(await ids({ createdAfter: createdAt - 0.5 })).toBe('dc');
    expect(await ids({ createdBefore: createdAt })).toBe('ba');
    expect(await ids({ updatedAfter: lastUpdated, updatedBefore: 1e300 })).toBe('d');
    expect(await ids({ updatedBefore: lastUpdated + 0.5 })).toBe('cba');
    // Nanoseconds, for example, are a bound as well: nobody may delete everything by them.
    expect(await ids({ createdAfter: 1.7e18 })).toBe('');
    expect(await ids({ updatedBefore: -1e300 })).toBe('');
  });

  it('returns the requested ids in order, with null for missing ones, also across pages', async () => {
    const annotationIds = ['nobody', 'c', 'a', 'f', 'c'];
    expect(await comments.ids({ annotationIds })).toEqual([null, 'c', 'a', 'f', 'c']);
    const within = { ...place, annotationIds, userIds: ['ada'] };
    expect(await comments.ids(within)).toEqual([null, 'c', 'a', null, 'c']);
    const first = await comments.call('get', { annotationIds, pageSize: 2 });
    const { nextPageToken: pageToken } = first.body.result;
    expect(await comments.ids({ annotationIds, pageSize: 3, pageToken })).toEqual(['a', 'f', 'c']);
  });

  it('groups by document only on request', async () => {
    const { organizationId, documentId } = place;
    const data = dataOf(await comments.call('get', { organizationId, groupByDocumentId: true }));
    expect(Object.keys(data).sort()).toEqual([documentId, 'other'].sort());
    const ids = data[documentId].map((each: { annotationId: string }) => each.annotationId);
    expect(ids).toEqual(['d', 'c', 'b', 'a']);
    expect(dataOf(await comments.call('get_grouped', { organizationId }))).toEqual(data);
    expect(dataOf(await comments.call('get', { organizationId }))).toBeInstanceOf(Array);
  });

  it.each(['asc', 'desc'])('pages %s without repeats or gaps', async (order) => {
    for (const filters of [{}, { userIds: ['ada', 'grace'] }, { mentionedUserIds: ['ada'] }]) {
      const query = { organizationId: place.organizationId, order, ...filters };
      const pages = await comments.pages(query, 2);
      expect(pages.flat()).toEqual(await comments.ids(query));
      expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
    }
    const { nextPageToken: pageToken } = (await comments.call('get', { ...place, pageSize: 1 }))
      .body.result;
    const other = await comments.call('get', { ...place, statusIds: ['OPEN'], pageToken });
    expect(failureOf(other).status).toBe('INVALID_ARGUMENT');
    // An annotation that mentions two of the named users is in the list once.
    const mentions = { ...place, mentionedUserIds: ['ada', 'eve'] };
    expect((await comments.pages(mentions, 1)).flat()).toEqual(['b']);
  });

  it('filters by folder, also after the document moved, and by the id of a location under any of its names', async () => {
    const where = comments.place();
    const { organizationId, documentId } = where;
    for (const location of [{ locationId: 'x' }, { id: 'x' }, { version: { id: 'x' } }]) {
      dataOf(await comments.add(where, [{ location }]));
    }
    expect(await comments.ids({ ...where, locationIds: ['x'] })).toHaveLength(3);
    await organize(server, organizationId, { folders: ['in', 'out'] }, headers);
    expect(await comments.ids({ organizationId, folderId: 'in' })).toEqual([]);
    const move = { organizationId, documentIds: [documentId], folderId: 'in' };
    await server.ok('/v2/organizations/documents/move', move, headers);
    expect(await comments.ids({ organizationId, folderId: 'in' })).toHaveLength(3);
    expect(await comments.ids({ organizationId, folderId: 'out' })).toEqual([]);
  });

  it('returns to a user, in full pages, what visibility and access context allow', async () => {
    const headers = await keyWithPrivateComments(server);
    const own = annotationsOf(server, headers);
    const where = own.place();
    const hidden = { visibility: { type: 'restricted', userIds: ['eve'] } };
    const closed = { context: { access: { team: ['green'] } } };
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const kinds = [{}, hidden, {}, closed, hidden, {}];
    await own.add(
      where,
      ids.map((annotationId, at) => ({ annotationId, ...kinds[at] })),
    );
    const { organizationId, documentId: id } = where;
    const bob = await userHeaders(
      server,
      'bob',
      [{ type: 'document', id, organizationId }],
      headers,
    );
    const pages = await own.pages({ ...where, order: 'asc' }, 2, bob);
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
    expect(pages.flat().sort()).toEqual(['a', 'c', 'f']);
    expect(await own.ids({ ...where, annotationIds: ['d', 'c'] }, bob)).toEqual([null, 'c']);
  });

  it('lets users read only the documents that they may view, which they have to name', async () => {
    const where = comments.place();
    const { organizationId, documentId } = where;
    const own = annotationsOf(server);
    dataOf(await own.add(where, [{}]));
    await organize(server, organizationId, {
      documents: [{ documentId: 'restricted', accessType: 'restricted' }],
    });
    const user = await userHeaders(server, fresh('user'), []);
    expect(await own.ids(where, user)).toHaveLength(1);
    for (const [filters, path] of [
      [{}, 'organizationId'],
      [{ organizationId }, 'documentId'],
      [{ documentId }, 'organizationId'],
    ] as const) {
      expect((await own.call('get', filters, user)).body).toEqual(invalid(path));
    }
    for (const documentIds of [['restricted'], [documentId, 'restricted'], ['unknown']]) {
      const answer = await own.call('get', { organizationId, documentIds }, user);
      expect(failureOf(answer).status).toBe('PERMISSION_DENIED');
    }
  });
});
