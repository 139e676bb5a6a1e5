import { beforeEach, describe, expect, it } from 'vitest';
import { annotationsOf } from '../../support/annotations.ts';
import { dataOf } from '../../support/answers.ts';
import { makePlan, openEditor, userToken } from '../../support/editors.ts';
import { startTestServer } from '../../support/server.ts';

type Outcomes = Record<string, { success: boolean; message: string }>;

const place = { organizationId: 'acme', documentId: 'plan' };
const body = { ...place, editorId: 'body' };

const server = await startTestServer();
let count = 0;
let thread: string;
await makePlan(server);
await server.ok('/v2/crdt/add', { ...body, type: 'text', data: 'We launch in May.' });
const viewerToken = await userToken(server, 'vi', { accessRole: 'viewer' });
const viewer = { authorization: `Bearer ${viewerToken}` };
beforeEach(async () => {
  thread = `thread-${++count}`;
  dataOf(await annotationsOf(server).add(place, [{ annotationId: thread }]));
});

type CommentAccess = 'editors' | 'viewers';
const setKey = async (commentAccess: CommentAccess) => {
  const changed = await server.call('/v2/workspace/apikeyconfig/update', { commentAccess });
  expect(dataOf(changed).commentAccess).toBe(commentAccess);
};
const setDocument = async (commentAccess: CommentAccess | null) => {
  const documents = [{ documentId: 'plan', commentAccess }];
  const input = { organizationId: 'acme', documents };
  await server.ok('/v2/organizations/documents/update', input);
};
const permission = async () => {
  const input = { organizationId: 'acme', userIds: ['vi'], documentIds: ['plan'] };
  return (await server.ok('/v2/auth/permissions/get', input, viewer)).vi.documents.plan;
};
const add = () => annotationsOf(server, viewer).add(place, [{ commentData: [{}] }]);
const outcomeOf = async (operation: string, annotationId: string, more: object = {}) => {
  const input = { ...place, annotationIds: [annotationId], ...more };
  const outcomes: Outcomes = await server.ok(`/v2/commentannotations/${operation}`, input, viewer);
  return outcomes[annotationId]?.success ?? false;
};

describe('commentAccess', () => {
  it.each<[key: CommentAccess, document: CommentAccess | null, may: boolean]>([
    ['editors', null, false],
    ['viewers', null, true],
    ['editors', 'viewers', true],
    ['viewers', 'editors', false],
  ])('of the key %s and the document %s: viewers may comment: %s', async (key, document, may) => {
    await setKey(key);
    await setDocument(document);
    const query = { organizationId: 'acme', documentIds: ['plan'] };
    const [shown] = await server.ok('/v2/organizations/documents/get', query);
    expect(shown.commentAccess).toBe(document ?? undefined);
    expect((await permission()).canComment ?? false).toBe(may);
    const explained = await server.call('/v2/auth/permissions/explain', { ...place, userId: 'vi' });
    expect(dataOf(explained).decision.canComment ?? false).toBe(may);
    expect((await add()).body.error?.status).toBe(may ? undefined : 'PERMISSION_DENIED');
  });
});

describe('a viewer who may comment', () => {
  beforeEach(async () => {
    await setKey('viewers');
    await setDocument(null);
  });

  it('resolves own threads, and changes nothing else of threads', async () => {
    const [mine = ''] = Object.keys(dataOf(await add()));
    const resolved = { status: { id: 'RESOLVED' } };
    expect(await outcomeOf('update', mine, { updatedData: resolved })).toBe(true);
    const priority = { priority: { id: 'high' } };
    for (const updatedData of [resolved, priority]) {
      expect(await outcomeOf('update', thread, { updatedData })).toBe(false);
    }
    const suggestion = { status: 'accepted' };
    for (const updatedData of [
      priority,
      { suggestion },
      { status: { id: 'OPEN' }, location: {} },
    ]) {
      expect(await outcomeOf('update', mine, { updatedData })).toBe(false);
    }
    const updatedData = { visibility: { type: 'public' } };
    const input = { ...place, annotationIds: [mine], updatedData };
    const refused = await server.ok('/v2/commentannotations/update', input, viewer);
    expect(refused[mine].message).toMatch(/^Viewers may change only the status/);
    expect(await outcomeOf('delete', mine)).toBe(true);
    expect(await outcomeOf('delete', thread)).toBe(false);
  });

  it('writes no content over a socket', async () => {
    const options = { url: server.url, name: 'acme/plan/body' };
    const reader = await openEditor({ ...options, token: viewerToken });
    reader.text.insert(0, 'forged ');
    const token = await userToken(server, 'ed', { accessRole: 'editor' });
    const writer = await openEditor({ ...options, token });
    writer.text.insert(0, 'Then: ');
    await writer.sent();
    const [{ data }] = await server.ok('/v2/crdt/get', body);
    expect(data).toBe('Then: We launch in May.');
  });
});
