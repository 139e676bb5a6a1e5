import { expect, it } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { connect, type Editor, planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { startTestServer } from '../support/server.ts';
import { aroundStatements, refuseStatements, watchStatements } from '../support/statements.ts';

const database = { isAway: false };

const isLoad = (text: string) => text.includes('c.snapshot');
/** The documents whose loading has begun and waits. */
const held = { names: [] as string[], release: Promise.withResolvers<void>() };
/** A database that fails for loading content only, and holds up that of the document `slow`. */
function disturbLoads({ pool }: Database): void {
  refuseStatements(pool, (text) => database.isAway && isLoad(text));
  aroundStatements(pool, () => async (text, query, args) => {
    if (isLoad(text) && JSON.stringify(args).includes('"slow"')) {
      held.names.push('slow');
      await held.release.promise;
    }
    return query(...args);
  });
}
const { server, token, open } = await planServer({}, { onDatabase: disturbLoads });

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
  const namesIn = ({ states }: Editor) => [...states().values()].map(({ user }) => user?.name);
  const [here, witness] = [await open('here'), await open('here')];
  const late = connect({ url: server.url, name: 'acme/plan/slow', token });
  await eventually(() => expect(held.names).toEqual(['slow']));
  const users = [{ userId: 'ada', name: 'Augusta' }];
  await server.call('/v1/users/add', { organizationId: 'acme', documentId: 'plan', users });
  const showsNewName = (editor: Editor, other: Editor) =>
    eventually(() => {
      editor.provider.setAwarenessField('user', { name: '', at: performance.now() });
      expect(namesIn(other)).toContain('Augusta');
    });
  await showsNewName(here, witness);
  held.release.resolve();
  await eventually(() => expect(late.provider.synced).toBe(true));
  await showsNewName(late, await open('slow'));
});

it('a change of access between its loading and that of the document is noticed', async () => {
  const network = await createNetwork(server.databaseUrl);
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
  await server.call('/v1/users/add', { organizationId: 'acme', documentId: 'plan', users });
  await server.app.services.events.sequence();
  network.releaseAnswers();
  await eventually(() => expect(editor.provider.synced).toBe(true));
  await eventually(() => expect(editor.provider.authorizedScope).toBe('readonly'));
});
