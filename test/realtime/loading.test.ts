import { expect, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { connect, type Editor, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';
import { aroundStatements, refuseStatements, watchStatements } from '../support/statements.ts';

const database = { isAway: false };

const isLoad = (text: string) => text.includes('c.snapshot');
/** A database that fails for loading content only. */
const refuseLoads = ({ pool }: Database) =>
  refuseStatements(pool, (text) => database.isAway && isLoad(text));
const { server, token, open } = await planServer({}, { onDatabase: refuseLoads });

it('a document that cannot be loaded refuses its connections, stays out of memory, and opens later', async () => {
  database.isAway = true;
  const waiting = connect({ url: server.url, name: 'acme/plan/body', token });
  await eventually(() => expect(waiting.refusals).toContain('UNAVAILABLE'));
  expect(waiting.provider.synced).toBe(false);
  database.isAway = false;
  await eventually(() => expect(waiting.provider.synced).toBe(true));
  const other = await open('body');
  waiting.text.insert(0, 'here');
  await eventually(() => expect(other.text.toString()).toBe('here'));
  const { registry } = server.app.services.metrics;
  expect(await registry.getSingleMetricAsString('live_documents')).toMatch(/live_documents 1$/);
  expect(await registry.getSingleMetricAsString('live_connections')).toMatch(/_connections 2$/);
});

it('users whose name changes while their document is being loaded are shown by the new one', async () => {
  const loading: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const holdSlow = ({ pool }: Database) =>
    aroundStatements(pool, () => async (text, query, args) => {
      if (isLoad(text) && JSON.stringify(args).includes('"slow"')) {
        loading.push('slow');
        await promise;
      }
      return query(...args);
    });
  const own = await planServer({}, { onDatabase: holdSlow });
  const namesIn = ({ states }: Editor) => [...states().values()].map(({ user }) => user?.name);
  const [here, witness] = [await own.open('here'), await own.open('here')];
  const late = connect({ url: own.server.url, name: 'acme/plan/slow', token: own.token });
  await eventually(() => expect(loading).toEqual(['slow']));
  const users = [{ userId: 'ada', name: 'Augusta' }];
  await own.server.call('/v1/users/add', { organizationId: 'acme', documentId: 'plan', users });
  await eventually(() => {
    here.provider.setAwarenessField('user', { name: '', at: performance.now() });
    expect(namesIn(witness)).toContain('Augusta');
  });
  resolve();
  await eventually(() => expect(late.provider.synced).toBe(true));
  const other = await own.open('slow');
  await eventually(() => {
    late.provider.setAwarenessField('user', { name: '', at: performance.now() });
    expect(namesIn(other)).toContain('Augusta');
  });
});

it('a change of access between its loading and that of the document is noticed', async () => {
  const { server: api, token } = await planServer({ ROLES: 'api' });
  const network = await createNetwork(api.databaseUrl);
  let isHeld = false;
  // A process that serves nobody yet. It gets the answer about the role only when that is outdated.
  const realtime = await startTestServer(
    { ROLES: 'realtime', DATABASE_URL: network.url },
    {
      onDatabase: ({ pool }) =>
        watchStatements(pool, (text) => {
          if (isHeld || !/FROM grants/.test(text)) return;
          isHeld = true;
          network.holdAnswers();
        }),
    },
  );
  const editor = connect({ url: realtime.url, name: 'acme/plan/body', token });
  await eventually(() => expect(isHeld).toBe(true));
  const users = [{ userId: 'ada', accessRole: 'viewer' }];
  await api.call('/v1/users/add', { organizationId: 'acme', documentId: 'plan', users });
  await api.app.services.events.sequence();
  network.releaseAnswers();
  await eventually(() => expect(editor.provider.synced).toBe(true));
  await eventually(() => expect(editor.provider.authorizedScope).toBe('readonly'));
});
