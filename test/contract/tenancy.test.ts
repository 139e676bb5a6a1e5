import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf, type Headers } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { inOrder, preparedExample } from '../support/example-world.ts';
import { operationOf, operations } from '../support/operations.ts';
import { createTenant, startTestServer, type TestServer } from '../support/server.ts';
import { createWorkspace } from '../support/workspaces.ts';

// Users stay present however long the tests take.
const startedAt = Date.now();
const server = await startTestServer({}, { clock: { now: () => startedAt } });
/** A server without anything that the examples are about. */
const empty = await startTestServer();

/** The operations that API keys and workspaces may call. */
const names = operations
  .filter(({ meta }) => meta.level !== 'admin' && meta.userToken !== 'only')
  .map(({ name }) => name);
const reads = names.filter((name) => operationOf(name).procedure._def.type === 'query');

/** The requests of the examples, with ids of what the workspace of the server and its key have. */
const requests = new Map<string, [path: string, data: object]>();

/** The operations after which reads find less. */
const ENDS = /delete|dismiss|reset|move$|Access$|^(?:commentAnnotations|notifications)\.update/i;

/** Ids that a server made, signed texts, addresses, and times. */
const MADE = /"(?:[\w-]{20}|[\w.-]{30,}|http:[^"]+|[\dT:.-]+Z)"|\b\d{10,}(?:\.\d+)?\b/g;

async function answerTo(name: string, of: TestServer, headers: Headers): Promise<string> {
  const [path = '', data = {}] = requests.get(name) ?? [];
  const { status, body } = await of.call(path, data, headers);
  return `${name} ${status} ${JSON.stringify(body)}`.replaceAll(MADE, '…');
}

/** Another workspace with a key, which may have a document with the ids of the examples. */
async function another(of: TestServer, hasPlace: boolean): Promise<Headers> {
  const workspaceHeaders = await createWorkspace(of);
  // The name of the first key, since no order of the two is certain.
  const key = await createTenant({ ...of, workspaceHeaders }, { apiKeyName: 'Testing' });
  const headers = { ...workspaceHeaders, ...key };
  if (hasPlace) await organize(of, 'acme', { documents: ['launch-plan'] }, headers);
  return headers;
}

/** Others at both servers: without a document, or with one that has the ids of the examples. */
const newOthers = (hasPlace: boolean) =>
  Promise.all([another(server, hasPlace), another(empty, hasPlace)]);
/** They leave nothing that anybody could find. */
const readers = [await newOthers(false), await newOthers(true)];
/** They begin without a document. What they make themselves is the same at both servers. */
const writers = await newOthers(false);

const own = { ...server.workspaceHeaders, ...server.keyHeaders };
const ownAnswers = () => Promise.all(reads.map((name) => answerTo(name, server, own)));

describe('data of one workspace and its API key', () => {
  beforeAll(async () => {
    for (const name of inOrder(names)) {
      const { path, request, headers } = await preparedExample(server, name);
      requests.set(name, [path, request]);
      if (ENDS.test(name)) continue;
      const { body } = await server.call(path, request, headers);
      expect(body, name).not.toHaveProperty('error');
    }
  });

  it.each(names)('looks missing to others, byte for byte: %s', async (name) => {
    const isRead = reads.includes(name);
    for (const [here, there] of isRead ? readers : [writers, await newOthers(true)]) {
      const [seen, missing] = await Promise.all([
        answerTo(name, server, here),
        answerTo(name, empty, there),
      ]);
      expect(seen).toBe(missing);
      if (isRead) expect(await answerTo(name, server, own)).not.toBe(missing);
    }
  });

  it('is not changed by others who name the same ids', async () => {
    const before = await ownAnswers();
    const headers = await another(server, true);
    for (const name of inOrder(names)) await answerTo(name, server, headers);
    expect(await ownAnswers()).toEqual(before);
  });

  it("requires the key's own page tokens", async () => {
    const [one, two] = [await createTenant(server), await createTenant(server)];
    for (const headers of [one, two])
      await organize(server, 'acme', { documents: ['a', 'b'] }, headers);
    const read = (headers: Headers, more: object) =>
      server.call('/v2/organizations/documents/get', { organizationId: 'acme', ...more }, headers);
    const { pageToken } = (await read(one, { pageSize: 1 })).body.result;
    expect(dataOf(await read(one, { pageToken }))).toHaveLength(1);
    expect(failureOf(await read(two, { pageToken })).status).toBe('INVALID_ARGUMENT');
  });
});
