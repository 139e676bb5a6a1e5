import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { AGENT_CALLS, AGENT_WRITES } from '../../src/mcp/budgets.ts';
import { agentToken, callTool, connectAgent, REVIEWER } from '../support/agents.ts';
import { annotationsOf, keyWithPrivateComments, userHeaders } from '../support/annotations.ts';
import { dataOf, fresh, type Headers } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { eventually, SOON_MS } from '../support/eventually.ts';
import { RawClient } from '../support/raw-http.ts';
import { createTenant, post, startTestServer } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const onPlan = { type: 'document', id: 'plan', organizationId: 'acme' };
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };

/** A refusal by the tool, or one before the request is parsed. */
const REFUSED = /INVALID_ARGUMENT|[Ii]nvalid|^The request (?:is larger|contains a character)/;

const MANY_FIELDS = Array.from({ length: 100_000 }, (_, at) => [`a${at}`, 1]);

const call = (path: string, data: object, own = headers) => server.ok(path, data, own);

const server = await startTestServer();
/** A key with private comments, and a restricted document. */
const headers = await keyWithPrivateComments(server);
const documents = ['plan', 'secret'].map((documentId) => ({
  documentId,
  accessType: 'restricted',
}));
await organize(server, 'acme', { documents }, headers);
for (const documentId of ['plan', 'secret']) {
  const content = { ...place, documentId, editorId: 'body', type: 'text', data: 'Hello' };
  await call('/v2/crdt/add', content);
}
dataOf(
  await annotationsOf(server, headers).add(place, [
    { annotationId: 'open' },
    {
      annotationId: 'private',
      commentData: [{ commentText: 'Hush', from: { userId: 'carol' } }],
      visibility: { type: 'restricted', userIds: ['bob'] },
    },
  ]),
);

const agentOf = async (userId: string, resources: object[] = [onPlan], own = headers) =>
  connectAgent(server, await agentToken(server, userId, resources, { headers: own }));

const send = (own: Headers, body: object = LIST) =>
  post(`${server.url}/mcp`, body, { accept: 'application/json, text/event-stream', ...own });

describe('credentials', () => {
  it('of an API key, or of a user without an agent, are refused: an agent acts for one user', async () => {
    const { status, body } = await send(headers);
    expect(status).toBe(403);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { data: { code: 403 } } });
    expect(body.error.message).toMatch(/^An agent acts for one user and never as an API key/);
    const person = await send(await userHeaders(server, 'ada', [onPlan], headers));
    expect(person.status).toBe(403);
    expect(person.body.error.message).toMatch(/^This user token was made for no agent/);
  });

  it('that are missing or forged are answered with 401 and what to send', async () => {
    const forged: Headers = { authorization: 'Bearer a.b.c' };
    for (const own of [{}, forged]) {
      const { status, headers: answered } = await send(own);
      expect([status, answered.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  it('that were revoked are refused within a second', async () => {
    const userId = fresh('user');
    const token = await agentToken(server, userId, [onPlan], { headers });
    const own = { authorization: `Bearer ${token}` };
    const input = { ...LIST, method: 'initialize' };
    expect((await send(own, input)).status).not.toBe(401);
    await call('/v2/auth/revoke_tokens', { userIds: [userId] });
    await eventually(async () => {
      const { status, body } = await send(own, input);
      expect(status).toBe(401);
      expect(body.error.data.details.reason).toBe('TOKEN_REVOKED');
    }, SOON_MS);
  });
});

describe('requests', () => {
  const token = () => agentToken(server, 'ada', [onPlan], { headers });

  it('of a page elsewhere, to another host, or other than POST are refused', async () => {
    for (const origin of ['https://evil.example', 'null']) {
      const { status } = await send({ authorization: `Bearer ${await token()}`, origin });
      expect(status).toBe(403);
    }
    const client = new RawClient(server.url);
    const head = ['POST /mcp HTTP/1.1', 'host: evil.example', 'content-type: application/json'];
    await client.send(`${[...head, 'content-length: 2'].join('\r\n')}\r\n\r\n{}`);
    const { status, body } = await client.answer();
    expect(status).toBe(403);
    expect(body).toContain(`${server.url}/mcp`);
    const response = await fetch(`${server.url}/mcp`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([
    ['no JSON-RPC', { hello: 1 }],
    ['an unknown method', { ...LIST, method: 'no/such' }],
    ['parameters of another type', { ...LIST, method: 'tools/call', params: 7 }],
    ['a batch, which would count as one', [LIST, LIST]],
    ['100,000 fields', { ...LIST, params: Object.fromEntries(MANY_FIELDS) }],
    ['a listing of no list', { ...LIST, method: 'subscriptions/listen', params: null }],
  ])('with %s are answered with an error, and nothing else', async (_name, body) => {
    const answer = await send({ authorization: `Bearer ${await token()}` }, body);
    expect(answer.status).toBeLessThan(500);
    expect(JSON.stringify(answer.body)).toMatch(/error/);
  });
});

/** What `memory_suggest` answers where it knows of nothing. */
const NO_SUGGESTION = { primary: null, conflict: null };

type Call = [tool: string, input: object];

const onThread = { ...place, annotationId: 'open' };
const quoted = { ...place, editorId: 'body', quote: 'Hello' };
const WRITES: Call[] = [
  ['open_thread', { ...quoted, text: 'Hi' }],
  ['suggest_edit', { ...quoted, replacement: 'Bye', reason: 'Shorter.' }],
  ['reply', { ...onThread, text: 'Hi' }],
  ['resolve_thread', onThread],
  ['record_judgment', { ...place, query: 'x', decision: 'approved', reasoning: 'y' }],
];

async function expectDenied(client: Client, calls: Call[]): Promise<void> {
  for (const [name, input] of calls) {
    await expect(callTool(client, name, input), name).rejects.toThrow(/^PERMISSION_DENIED/);
  }
}

describe('an agent', () => {
  const read = (client: Client, documentId: string) =>
    callTool(client, 'read_document', { organizationId: 'acme', documentId });

  it('of an older client may call tools', async () => {
    const token = await agentToken(server, 'ada', [onPlan], { headers });
    const client = await connectAgent(server, token, 'legacy');
    expect((await read(client, 'plan')).text).toBe('Hello');
  });

  it('sees what its person sees, and learns of nothing else', async () => {
    const ada = await agentOf('ada');
    const found = await callTool(ada, 'find_documents', { organizationId: 'acme' });
    expect(found).toEqual({ documents: [{ documentId: 'plan', documentName: 'plan' }] });
    const messageOf = (documentId: string) => read(ada, documentId).catch(({ message }) => message);
    expect(await messageOf('secret')).toMatch(
      /^PERMISSION_DENIED: You do not have access.*explain_access/,
    );
    expect(await messageOf('missing')).toBe(await messageOf('secret'));
    for (const documentId of ['secret', 'missing']) {
      const where = { organizationId: 'acme', documentId };
      const explained = await callTool(ada, 'explain_access', where);
      expect(explained).toEqual({
        ...{ mayRead: false, mayComment: false, mayWrite: false },
        steps: [expect.any(String)],
      });
      const uri = `collab://document/acme/${documentId}`;
      await expect(ada.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    }
    const elsewhere = await callTool(ada, 'find_documents', { organizationId: 'none' });
    expect(elsewhere).toEqual({ documents: [] });
  });

  it('sees no private thread of others', async () => {
    const ada = await agentOf('ada');
    const { threads } = await callTool(ada, 'list_threads', { ...place, status: 'all' });
    expect(threads.map(({ annotationId }: { annotationId: string }) => annotationId)).toEqual([
      'open',
    ]);
    const hidden = { ...place, annotationId: 'private' };
    await expect(callTool(ada, 'read_thread', hidden)).rejects.toThrow(/^NOT_FOUND/);
    await expect(callTool(ada, 'resolve_thread', hidden)).rejects.toThrow(/^NOT_FOUND/);
    await expect(callTool(ada, 'reply', { ...hidden, text: 'Hi' })).rejects.toThrow();
    const uri = 'collab://thread/acme/plan/private';
    await expect(ada.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    const bob = await agentOf('bob');
    expect(await callTool(bob, 'read_thread', hidden)).toMatchObject({ annotationId: 'private' });
  });

  it('of a viewer may read and not write, and comment where the document says so', async () => {
    const reader = await agentOf('viewer', [{ ...onPlan, accessRole: 'viewer' }]);
    expect((await read(reader, 'plan')).text).toBe('Hello');
    await expectDenied(reader, WRITES);
    const where = { organizationId: 'acme', documentId: fresh('open') };
    const { organizationId, documentId } = where;
    const document = { documentId, accessType: 'restricted', commentAccess: 'viewers' };
    await organize(server, organizationId, { documents: [document] }, headers);
    const content = { ...where, editorId: 'body', type: 'text', data: 'Hello' };
    await call('/v2/crdt/add', content);
    const onIt = { type: 'document', id: documentId, organizationId, accessRole: 'viewer' };
    const viewer = await agentOf(fresh('viewer'), [onIt]);
    const explained = await callTool(viewer, 'explain_access', where);
    expect(explained).toMatchObject({ mayComment: true, mayWrite: false });
    const there = WRITES.map(([name, input]): Call => [name, { ...input, ...where }]);
    for (const [name, input] of there.slice(0, 2)) await callTool(viewer, name, input);
    await expectDenied(viewer, there.slice(4));
  });

  it('finds nothing of another tenant', async () => {
    const foreigner = await agentOf('ada', [], await createTenant(server));
    await expect(read(foreigner, 'plan')).rejects.toThrow(/^PERMISSION_DENIED/);
    const found = await callTool(foreigner, 'find_documents', { organizationId: 'acme' });
    expect(found).toEqual({ documents: [] });
    await expectDenied(foreigner, [
      ...WRITES.filter(([name]) => name !== 'resolve_thread'),
      ...['changes_since', 'list_threads', 'who_is_here'].map((name): Call => [name, place]),
      ['memory_suggest', { ...place, query: 'Discount' }],
    ]);
  });

  it('knows of decisions about documents that its person may read, and of no other', async () => {
    const query = 'Discount of 15 percent for a renewal of the contract';
    const judgment = (documentId: string, reviewer: string) => ({
      ...{ query, decision: 'approved', reasoning: `Told in ${documentId}.` },
      ...{ organizationId: 'acme', documentId, reviewer: { userId: reviewer } },
    });
    const judgments = ['a', 'b', 'c'].map((reviewer) => judgment('secret', reviewer));
    await call('/v2/memory/judgments/add', { judgments });
    const organization = { type: 'organization', id: 'acme', organizationId: 'acme' };
    const ada = await agentOf('ada', [onPlan, organization]);
    const input = { organizationId: 'acme', query };
    expect(await callTool(ada, 'memory_search', input)).toEqual({ judgments: [] });
    expect(await callTool(ada, 'memory_suggest', input)).toEqual(NO_SUGGESTION);
    const open = ['d', 'e'].map((reviewer) => judgment('plan', reviewer));
    await call('/v2/memory/judgments/add', { judgments: open });
    const { primary } = await callTool(ada, 'memory_suggest', input);
    expect(primary).toMatchObject({ basedOn: 2, topReasons: ['Told in plan.'] });
    const { judgments: found } = await callTool(ada, 'memory_search', input);
    expect(found).toHaveLength(2);
  });

  it('gets suggestions that do not depend on decisions about documents that its person may not read', async () => {
    const query = 'Whether the northern greenhouse gets a second boiler before winter';
    const decided = (text: string, documentId: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...{ query: text, decision: 'approved', organizationId: 'acme', documentId },
        reviewer: { userId: `gardener-${n}` },
      }));
    const loose = 'A boiler test of the kitchen staff, with a list of cleaning hours and of towels';
    const judgments = decided(loose, 'plan', 2);
    await call('/v2/memory/judgments/add', { judgments });
    const ada = await agentOf('ada');
    const input = { ...place, query };
    expect(await callTool(ada, 'memory_suggest', input)).toEqual(NO_SUGGESTION);
    const hidden = decided(query, 'secret', 120);
    await call('/v2/memory/judgments/add', { judgments: hidden });
    expect(await callTool(ada, 'memory_suggest', input)).toEqual(NO_SUGGESTION);
    const open = decided(query, 'plan', 2).map((one) => ({ ...one, createdAt: 1 }));
    await call('/v2/memory/judgments/add', { judgments: open });
    const { primary } = await callTool(ada, 'memory_suggest', input);
    expect(primary).toMatchObject({ recommendation: 'approve', scope: 'document' });
  });

  it('of somebody outside the organization gets no decision of it, not even through a public document', async () => {
    const organizationId = fresh('org');
    await organize(server, organizationId, { documents: ['open'] }, headers);
    const query = 'Whether the board gets a higher salary';
    const judgments = ['a', 'b', 'c'].map((userId) => ({
      ...{ query, decision: 'rejected', reasoning: 'Nobody may know.' },
      ...{ organizationId, reviewer: { userId } },
    }));
    await call('/v2/memory/judgments/add', { judgments });
    const guest = await agentOf('guest');
    await expectDenied(guest, [
      ['memory_search', { organizationId, query }],
      ['memory_suggest', { organizationId, query }],
    ]);
    const asked = { organizationId, documentId: 'open', query };
    expect(await callTool(guest, 'memory_suggest', asked)).toEqual(NO_SUGGESTION);
    const member = await agentOf('member', [{ type: 'organization', id: organizationId }]);
    const { primary } = await callTool(member, 'memory_suggest', asked);
    expect(primary).toMatchObject({ basedOn: 3, scope: 'organization' });
  });

  it('knows of no decision about a deleted document in one that uses its id again', async () => {
    const organizationId = fresh('org');
    const documents = [{ documentId: 'plan', accessType: 'restricted' }];
    await organize(server, organizationId, { documents }, headers);
    const where = { organizationId, documentId: 'plan' };
    const query = 'Whether the ferry sails on Sundays';
    const add = (reasoning: string, count = 1) => {
      const judgment = { ...where, query, reasoning, decision: 'approved' };
      return call('/v2/memory/judgments/add', { judgments: Array(count).fill(judgment) });
    };
    // One more than a step of the job that marks them.
    await add('Told in the deleted document.', 1_000);
    await add('Told in the deleted document.');
    const ids = { organizationId, documentIds: ['plan'] };
    await call('/v2/organizations/documents/delete', ids);
    const again = { organizationId, documents: [{ documentId: 'plan', accessType: 'public' }] };
    await call('/v2/organizations/documents/add', again);
    const ada = await agentOf('ada', []);
    const found = async () =>
      (await callTool(ada, 'memory_search', { ...where, query })).judgments.map(
        ({ reasoning }: { reasoning: string }) => reasoning,
      );
    await eventually(async () => expect(await found()).toEqual([]));
    await add('Told in the new one.');
    expect(await found()).toEqual(['Told in the new one.']);
    // It stays a precedent of the organization.
    const inOrganization = await call('/v2/memory/search', { organizationId, query });
    expect(JSON.stringify(inOrganization)).toContain('Told in the deleted document.');
  });

  it('reads no changes of a deleted document in one that uses its id again', async () => {
    const organizationId = fresh('org');
    await organize(server, organizationId, { documents: ['open'] }, headers);
    const where = { organizationId, documentId: 'open' };
    const ada = await agentOf('ada', []);
    const { cursor } = await callTool(ada, 'changes_since', where);
    await annotationsOf(server, headers).add(where, [{ annotationId: fresh('annotation') }]);
    const ids = { organizationId, documentIds: ['open'] };
    await call('/v2/organizations/documents/delete', ids);
    const documents = [{ documentId: 'open' }];
    await call('/v2/organizations/documents/add', { organizationId, documents });
    await expect(callTool(ada, 'changes_since', { ...where, cursor })).rejects.toThrow(
      /^OUT_OF_RANGE/,
    );
    const since = await callTool(ada, 'changes_since', where);
    expect(await callTool(ada, 'changes_since', { ...where, cursor: since.cursor })).toMatchObject({
      changes: [],
    });
  });

  it.each<[string, string, object]>([
    ['no text', 'reply', { ...onThread, text: '' }],
    ['a text that is too long', 'reply', { ...onThread, text: 'x'.repeat(1_000_000) }],
    ['half a surrogate pair', 'reply', { ...onThread, text: '\ud83d' }],
    ['an empty quote', 'open_thread', { ...quoted, quote: '', text: 'Hi' }],
    ['an id of control characters', 'read_document', { ...place, documentId: 'a\u0000b' }],
    ['a cursor of its own', 'changes_since', { ...place, cursor: "'; DROP TABLE events; --" }],
    ['a page token of its own', 'find_documents', { organizationId: 'acme', pageToken: 'forged' }],
  ])('gets a failure for %s, and changes nothing', async (_name, name, input) => {
    const ada = await agentOf('ada');
    const count = async () => (await annotationsOf(server, headers).get(place))[0].comments.length;
    const before = await count();
    await expect(callTool(ada, name, input)).rejects.toThrow(REFUSED);
    expect(await count()).toBe(before);
  });
});

describe('a budget', () => {
  const nameOf = (userId: string) =>
    JSON.stringify([headers['x-svc-api-key'], userId, REVIEWER.agentId]);
  const { calls, writes } = server.app.services.agentLimits;

  it('of calls applies to all tokens of an agent together, and a refused call says how long to wait', async () => {
    const userId = fresh('user');
    for (let spent = 0; spent < AGENT_CALLS.points; spent++) await calls.consume(nameOf(userId));
    const token = await agentToken(server, userId, [onPlan], { headers });
    const { status, headers: answered, body } = await send({ authorization: `Bearer ${token}` });
    expect(status).toBe(429);
    expect(Number(answered.get('retry-after'))).toBeGreaterThan(0);
    expect(body.error).toMatchObject({ message: AGENT_CALLS.refusal });
    const agent = { agentId: 'another', name: 'Another' };
    const other = await agentToken(server, userId, [onPlan], { headers, agent });
    const client = await connectAgent(server, other);
    expect(client.getInstructions()).toMatch(/120 requests a minute.*300 times an hour/);
  });

  it('of writes that is used up does not refuse reads', async () => {
    const userId = fresh('user');
    for (let spent = 0; spent < AGENT_WRITES.points; spent++) await writes.consume(nameOf(userId));
    const client = await agentOf(userId);
    const reply = callTool(client, 'reply', { ...onThread, text: 'Hi' });
    await expect(reply).rejects.toThrow(/^RESOURCE_EXHAUSTED: .*300 writes.* Wait \d+ seconds\.$/);
    await callTool(client, 'read_document', place);
  });
});
