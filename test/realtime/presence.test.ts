import { beforeEach, describe, expect, it } from 'vitest';
import { publishTimeouts } from '../../src/features/presence/publish-timeouts.ts';
import { createLogger } from '../../src/platform/logging.ts';
import type { Session } from '../../src/realtime/live-connection.ts';
import { ConnectedUsers } from '../../src/realtime/presence/connected-users.ts';
import { fresh } from '../support/answers.ts';
import { type Editor, openEditor, userToken } from '../support/editors.ts';
import { eventsOf } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { holdTransaction } from '../support/hold-transaction.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const clock = { time: Date.now(), now: () => clock.time };
let place: { organizationId: string; documentId: string };
const one = await startTestServer({}, { clock });
/** Another process on the same database, without Redis between them. */
const two = await startTestServer({ DATABASE_URL: one.databaseUrl }, { clock });
beforeEach(async () => {
  place = { organizationId: fresh('org'), documentId: 'plan' };
  const users = [
    { userId: 'ada', name: 'Ada' },
    { userId: 'grace', name: 'Grace' },
  ];
  await one.ok('/v1/users/add', { ...place, users });
});

const open = async (server: TestServer, userId: string, editorId = 'body'): Promise<Editor> => {
  const { organizationId, documentId } = place;
  const token = await userToken(one, userId);
  return openEditor({
    url: server.url,
    name: `${organizationId}/${documentId}/${editorId}`,
    token,
  });
};
const update = (...users: object[]) => one.ok('/v2/presence/update', { ...place, users });
const get = () => one.ok('/v2/presence/get', place);
const present = (expected: object[]) =>
  eventually(async () => expect(await get()).toEqual(expected));
const statesOf = (editor: Editor) => [...editor.states().values()];

const ADA = { userId: 'ada', name: 'Ada', status: 'online' };
const GRACE = { userId: 'grace', name: 'Grace', status: 'online' };

describe('presence of connected users', () => {
  it('appears when they connect, stays until they left every editor and every process, and is published', async () => {
    const editors = [
      await open(one, 'ada', 'body'),
      await open(one, 'ada', 'title'),
      await open(two, 'ada', 'body'),
    ];
    await present([ADA]);
    const grace = await open(two, 'grace');
    for (const editor of editors) {
      await present([ADA, GRACE]);
      editor.leave();
    }
    await present([GRACE]);
    grace.leave();
    await present([]);
    const published = await eventsOf(one, place.organizationId, ['presence.update']);
    expect(published.map(({ data }) => [data.userId, data.status])).toEqual([
      ['ada', 'online'],
      ['grace', 'online'],
      ['ada', 'offline'],
      ['grace', 'offline'],
    ]);
  });

  it('shows an explicit status while that is fresh', async () => {
    await open(one, 'ada');
    await present([ADA]);
    await update({ userId: 'ada', status: 'away' });
    expect(await get()).toEqual([{ ...ADA, status: 'away' }]);
    await one.ok('/v2/presence/delete', { ...place, userIds: ['ada'] });
    expect(await get()).toEqual([ADA]);
  });

  it('disappears when their process stops, and appears where they reconnect', async () => {
    const stopping = await startTestServer({ DATABASE_URL: one.databaseUrl }, { clock });
    await open(stopping, 'ada');
    await open(stopping, 'grace');
    await present([ADA, GRACE]);
    await stopping.app.stop();
    expect(await get()).toEqual([]);
    await open(one, 'grace');
    await present([GRACE]);
  });

  it('returns if their process was considered dead but lives', async () => {
    const { services } = one.app;
    const connected = new ConnectedUsers({ ...services, log: createLogger('silent') }, 10);
    connected.start();
    const name = { ...place, tenantId: one.quickstart.apiKey, editorId: 'body' };
    connected.join(name, sessionOfAda());
    await present([ADA]);
    const before = await processesOf(name);
    await services.db.pool.query(
      'UPDATE presence_processes SET is_dead = true WHERE id = ANY($1)',
      [before],
    );
    const isAnew = async () => (await processesOf(name)).some((id) => !before.includes(id));
    await eventually(async () => expect(await isAnew()).toBe(true));
    await publishTimeouts(services);
    await present([ADA]);
    await connected.stop();
  });

  it('disappears also for a user who came and went while an earlier leave was being recorded', async () => {
    const { services } = one.app;
    const connected = new ConnectedUsers({ ...services, log: createLogger('silent') }, 60_000);
    connected.start();
    const name = { ...place, tenantId: one.quickstart.apiKey, editorId: 'body' };
    const [first, second, third] = [sessionOfAda(), sessionOfAda(), sessionOfAda()];
    connected.join(name, first);
    await present([ADA]);
    const connections = await holdTransaction(
      one.databaseUrl,
      'SELECT FROM presence_connections WHERE organization_id = $1 FOR UPDATE',
      [name.organizationId],
    );
    connected.leave(name, first);
    await connections.holdsUp(1, 'DELETE FROM presence_connections');
    connected.join(name, second);
    connected.leave(name, second);
    const processes = await holdTransaction(
      one.databaseUrl,
      'SELECT FROM presence_processes WHERE id = ANY($1) FOR UPDATE',
      [await processesOf(name)],
    );
    // The process is renewed before the next record.
    clock.time += 30_000;
    await connections.release();
    await processes.holdsUp(1, 'UPDATE presence_processes /* background */');
    connected.join(name, third);
    await processes.release();
    await present([ADA]);
    connected.leave(name, third);
    await present([]);
    await connected.stop();
  });
});

const sessionOfAda = (): Session => ({
  userId: 'ada',
  person: { userId: 'ada' },
  agent: undefined,
  isEditor: true,
  isStorageUsedUp: false,
  hasGrant: true,
  origin: undefined,
  tokenEra: '0.',
  tokenExpiresAt: 0,
  accessExpiresAt: undefined,
  accessChanges: 0,
});

async function processesOf({ tenantId, organizationId }: Record<string, string>) {
  const { rows } = await one.app.services.db.pool.query(
    'SELECT process_id FROM presence_connections WHERE tenant_id = $1 AND organization_id = $2',
    [tenantId, organizationId],
  );
  return rows.map((row) => row.process_id);
}

describe('presence set through REST', () => {
  const away = { user: { id: 'ada', name: 'Ada' }, status: 'away' };

  it('reaches connected editors of every process as awareness', async () => {
    const editors = [await open(one, 'grace'), await open(two, 'grace')];
    await update({ userId: 'ada', status: 'away' });
    for (const editor of editors) {
      await eventually(() => expect(statesOf(editor)).toContainEqual(away));
    }
    await update({ userId: 'ada', status: 'busy' });
    for (const editor of editors) {
      await eventually(() => expect(statesOf(editor)).toContainEqual({ ...away, status: 'busy' }));
    }
    await one.ok('/v2/presence/delete', { ...place, userIds: ['ada'] });
    for (const editor of editors) {
      await eventually(() => expect(JSON.stringify(statesOf(editor))).not.toContain('"ada"'));
    }
  });

  it('is shown to editors who connect later, and cannot be changed by a client that claims it', async () => {
    await update({ userId: 'ada', status: 'away' });
    const witness = await open(one, 'grace');
    const forger = await open(one, 'grace', 'body');
    await eventually(() => expect(statesOf(witness)).toContainEqual(away));
    forger.provider.setAwarenessField('user', { id: 'ada' });
    forger.provider.setAwarenessField('status', 'forged');
    await forger.sent();
    forger.text.insert(0, 'x');
    await eventually(() => expect(witness.text.toString()).toBe('x'));
    expect(statesOf(witness)).toContainEqual(away);
    const forged = statesOf(witness).filter(({ status }) => status === 'forged');
    expect(forged.map(({ user }) => user)).toEqual([{ id: 'grace', name: 'Grace', initial: 'G' }]);
  });
});
