import { beforeAll, describe, expect, inject, it } from 'vitest';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** How many editors are replaced at the same time. */
const EDITORS = 4;
const LARGE_EDITORS = 2;

const CONTENTS: Array<[type: string, of: (word: string) => unknown]> = [
  ['text', (word) => `${word} ${word}`],
  ['map', (word) => ({ [word]: word, same: word })],
  ['array', (word) => [word, { id: word, list: [word] }]],
  ['xml', (word) => `<p title="${word}">${word}</p><p>${word}</p>`],
  // Large content is compared in a worker thread.
  ['text', (word) => `${word} `.repeat(10_000)],
];

const redisUrl = inject('redisUrl');
const environments: Array<[string, Record<string, string>]> = [
  ['without Redis', {}],
  ...(redisUrl
    ? [['with Redis', { REDIS_URL: redisUrl }] as [string, Record<string, string>]]
    : []),
];

describe.each(environments)('three processes %s', (_, environment) => {
  let servers: TestServer[];
  let keyHeaders: Record<string, string>;
  let token: string;
  beforeAll(async () => {
    // All six servers run until the end of the file, beside those of other files.
    const settings = { CALLS_IN_FLIGHT_PER_KEY: '0', DATABASE_POOL_SIZE: '4', ...environment };
    const one = await startTestServer(settings);
    const more = { ...settings, DATABASE_URL: one.databaseUrl };
    servers = [one, await startTestServer(more), await startTestServer(more)];
    ({ keyHeaders } = one);
    await makePlan(one);
    token = await userToken(one, 'ada', { accessRole: 'editor' });
  });

  const call = async (at: number, verb: string, data: object) => {
    const server = servers[at % servers.length] as TestServer;
    const { status, body } = await server.call(`/v2/crdt/${verb}`, data, keyHeaders);
    expect({ status, error: body.error }).toEqual({ status: 200 });
    return body.result.data;
  };

  it.each(CONTENTS)(
    'the later of two concurrent replacements wins, and is not mixed with the earlier (%s)',
    async (type, of) => {
      const editorIds = Array.from(
        { length: JSON.stringify(of('')).length > 1_000 ? LARGE_EDITORS : EDITORS },
        (__, at) => `${type}-${String(of('')).length}-${at}`,
      );
      await Promise.all(
        editorIds.map(async (editorId, at) => {
          const editor = { organizationId: 'acme', documentId: 'plan', editorId, type };
          await call(at, 'add', { ...editor, data: of('before') });
          await Promise.all(
            ['one', 'two', 'three'].map((word, process) =>
              call(process, 'update', { ...editor, data: of(word) }),
            ),
          );
          const possible = ['one', 'two', 'three'].map((word) => of(word));
          const [{ data }] = await call(at, 'get', editor);
          expect(possible).toContainEqual(data);
          // All processes converge on the last content.
          for (const process of [0, 1, 2]) {
            expect((await call(process, 'get', editor))[0].data).toEqual(data);
          }
          await call(at + 1, 'update', { ...editor, data: of('last') });
          expect((await call(at + 2, 'get', editor))[0].data).toEqual(of('last'));
        }),
      );
    },
  );

  it('updates for a version, with and without an Idempotency-Key, take effect once or are aborted', async () => {
    const place = { organizationId: 'acme', documentId: 'plan', editorId: 'counter' };
    await call(0, 'add', { ...place, type: 'map', data: { n: 0 } });
    const statuses = new Set<number>();
    const count = async (caller: number) => {
      const server = servers[caller % servers.length] as TestServer;
      for (let made = 0; made < 3; ) {
        const [{ data, version }] = await call(caller, 'get', place);
        const headers = { ...keyHeaders, 'idempotency-key': `${caller}-${made}-${version}` };
        const { status } = await server.call(
          '/v2/crdt/update',
          { ...place, type: 'map', data: { n: data.n + 1 }, ifVersion: version },
          caller < 3 ? keyHeaders : headers,
        );
        statuses.add(status);
        if (status === 200) made++;
      }
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map(count));
    expect([...statuses].sort()).toEqual([200, 409]);
    for (const at of [0, 1, 2]) expect((await call(at, 'get', place))[0].data).toEqual({ n: 18 });
  });

  it('concurrent typing is kept', async () => {
    const editor = { organizationId: 'acme', documentId: 'plan', editorId: 'typed', type: 'text' };
    await call(0, 'add', { ...editor, data: 'content' });
    const typist = await openEditor({
      url: (servers[0] as TestServer).url,
      name: 'acme/plan/typed',
      token,
    });
    for (let round = 0; round < 5; round++) {
      typist.text.insert(0, `[${round}]`);
      await Promise.all(
        [1, 2].map((at) => call(at, 'update', { ...editor, data: `content ${at}` })),
      );
      await typist.sent();
      typist.text.insert(typist.text.length, '.');
    }
    await typist.sent();
    await eventually(async () => {
      const [{ data }] = await call(1, 'get', editor);
      expect(data.match(/content/g)).toHaveLength(1);
      expect(data).toBe(typist.text.toString());
    });
  });
});
