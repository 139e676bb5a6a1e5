import { describe, expect, inject, it } from 'vitest';
import { makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { createNetwork } from '../support/network.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { createDatabase, post } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const DATABASE_URL = await createDatabase();
/** Two processes with connections to Redis that the test can cut. */
const line = await createNetwork(inject('redisUrl') ?? '');
const environment = { DATABASE_URL, REDIS_URL: line.url };
const one = await serverProcess(environment);
const two = await serverProcess(environment);
await one.start();
await two.start();
const headers = await one.keyHeaders();
const api = { url: one.url, keyHeaders: headers };
await makePlan(api);
const token = await userToken(api, 'ada', { accessRole: 'editor' });
await userToken(api, 'grace', { accessRole: 'editor' });

const call = (server: ServerProcess, path: string, data: object) =>
  post(server.url + path, { data: { ...place, ...data } }, headers);

it('a killed process takes its users offline within 60 s: in awareness and in presence', async () => {
  const name = 'acme/plan/presence';
  const watcher = await openEditor({ url: two.url, name, token });
  const lost = await openEditor({
    url: one.url,
    name,
    token: await userToken({ url: two.url, keyHeaders: headers }, 'grace'),
  });
  lost.provider.setAwarenessField('user', { id: 'grace' });
  const shown = () => JSON.stringify([...(watcher.provider.awareness?.getStates() ?? [])]);
  const present = async () => {
    const { body } = await call(two, '/v2/presence/get', {});
    return body.result.data
      .filter(({ status }: { status: string }) => status === 'online')
      .map(({ userId }: { userId: string }) => userId);
  };
  await eventually(async () => {
    expect(shown()).toContain('grace');
    expect(await present()).toEqual(['ada', 'grace']);
  });
  await one.kill();
  lost.provider.configuration.websocketProvider.destroy();
  await eventually(async () => {
    expect(shown()).not.toContain('grace');
    expect(await present()).toEqual(['ada']);
  }, 60_000);
  await one.start();
});

describe('during a Redis outage', () => {
  it('documents open and accept edits, and editors converge afterwards', async () => {
    const name = 'acme/plan/apart';
    const here = await openEditor({ url: one.url, name, token });
    const there = await openEditor({ url: two.url, name, token });
    here.text.insert(0, 'together');
    await eventually(() => expect(there.text.toString()).toBe('together'));
    line.cut();
    here.text.insert(0, 'here ');
    there.text.insert(there.text.length, ' there');
    await Promise.all([here.sent(), there.sent()]);
    const gone = await openEditor({ url: one.url, name, token });
    gone.text.insert(0, 'by somebody who left, ');
    await gone.sent();
    gone.provider.destroy();
    const late = 'acme/plan/late';
    const lateHere = await openEditor({ url: one.url, name: late, token });
    const lateThere = await openEditor({ url: two.url, name: late, token });
    lateHere.text.insert(0, 'late');
    await lateHere.sent();
    const edit = {
      editorId: 'apart',
      type: 'text',
      // The edit includes what the other process stored, which this process has not received.
      data: 'by somebody who left, here together there, by REST',
    };
    expect((await call(one, '/v2/crdt/update', edit)).status).toBe(200);
    line.mend();
    await eventually(() => {
      expect(there.text.toString()).toBe(edit.data);
      expect(here.text.toString()).toBe(edit.data);
      expect(lateThere.text.toString()).toBe('late');
    });
    lateThere.text.insert(4, 'r');
    await eventually(() => expect(lateHere.text.toString()).toBe('later'));
  });

  it('a process starts, and joins the others later', async () => {
    const name = 'acme/plan/joined';
    await one.stop();
    line.cut();
    await one.start();
    const here = await openEditor({ url: one.url, name, token });
    const there = await openEditor({ url: two.url, name, token });
    here.text.insert(0, 'x');
    line.mend();
    await eventually(() => expect(there.text.toString()).toBe('x'));
    there.text.insert(1, 'y');
    await eventually(() => expect(here.text.toString()).toBe('xy'));
  });
});

it('nothing was written to standard error', () => {
  expect([...one.complaints, ...two.complaints]).toEqual([]);
});
