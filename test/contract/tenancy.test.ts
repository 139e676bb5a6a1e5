import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, failureOf } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { inOrder, preparedExample } from '../support/example-world.ts';
import { type Headers, operationOf, operations } from '../support/operations.ts';
import { createTenant, startTestServer, type TestServer } from '../support/server.ts';
import { createWorkspaceKey } from '../support/workspaces.ts';

const server = await startTestServer();
/** A server without anything that the examples are about. */
const empty = await startTestServer();

/** The operations that API keys may call. */
const ofKeys = operations
  .filter(({ meta }) => meta.level === 'apiKey' && meta.userToken !== 'only')
  .map(({ name }) => name);
const reads = ofKeys.filter((name) => operationOf(name).procedure._def.type === 'query');

/** The requests of the examples, with ids of what the key of the server has. */
const requests = new Map<string, [path: string, data: object]>();

/** The operations after which reads find less. */
const ENDS = /delete|dismiss|move$|Access$|^(?:commentAnnotations|notifications)\.update/i;

/** Ids that a server made, signed texts, addresses, and times. */
const MADE = /"(?:[\w-]{20}|[\w.-]{30,}|http:[^"]+|[\dT:.-]+Z)"|\b\d{10,}(?:\.\d+)?\b/g;

async function answerTo(name: string, of: TestServer, headers: Headers): Promise<string> {
  const [path = '', data = {}] = requests.get(name) ?? [];
  const { status, body } = await of.call(path, data, headers);
  return `${name} ${status} ${JSON.stringify(body)}`.replaceAll(MADE, '…');
}

/** Another key, which may have a document of its own with the ids of the examples. */
async function anotherKey(of: TestServer, hasPlace: boolean): Promise<Headers> {
  const headers = await createWorkspaceKey(of);
  if (hasPlace) await organize(of, 'acme', { documents: ['launch-plan'] }, headers);
  return headers;
}

const ownAnswers = () =>
  Promise.all(reads.map((name) => answerTo(name, server, server.keyHeaders)));

describe('data of one API key', () => {
  beforeAll(async () => {
    for (const name of inOrder(ofKeys)) {
      const { path, request, headers } = await preparedExample(server, name);
      requests.set(name, [path, request]);
      if (ENDS.test(name)) continue;
      const { body } = await server.call(path, request, headers);
      expect(body, name).not.toHaveProperty('error');
    }
  });

  it.each(ofKeys)('looks missing to other keys, byte for byte: %s', async (name) => {
    for (const hasPlace of [false, true]) {
      const [seen, missing] = await Promise.all(
        [server, empty].map(async (of) => answerTo(name, of, await anotherKey(of, hasPlace))),
      );
      expect(seen).toBe(missing);
      if (reads.includes(name))
        expect(await answerTo(name, server, server.keyHeaders)).not.toBe(missing);
    }
  });

  it('is not changed by other keys that name the same ids', async () => {
    const before = await ownAnswers();
    for (const headers of [await anotherKey(server, false), await anotherKey(server, true)]) {
      for (const name of inOrder(ofKeys)) await answerTo(name, server, headers);
    }
    expect(await ownAnswers()).toEqual(before);
  });

  it("requires the key's own page tokens", async () => {
    const [one, two] = [await createTenant(server), await createTenant(server)];
    for (const headers of [one, two])
      await organize(server, 'acme', { documents: ['a', 'b'] }, headers);
    const path = '/v2/organizations/documents/get';
    const inAcme = { organizationId: 'acme' };
    const first = await server.call(path, { ...inAcme, pageSize: 1 }, one);
    const { pageToken } = first.body.result;
    const withToken = (headers: Headers) => server.call(path, { ...inAcme, pageToken }, headers);
    expect(dataOf(await withToken(one))).toHaveLength(1);
    expect(failureOf(await withToken(two)).status).toBe('INVALID_ARGUMENT');
  });
});
