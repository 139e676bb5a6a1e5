import { describe, expect, inject, it } from 'vitest';
import { editorsOf, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { execute } from '../support/global-setup.ts';
import { createNetwork } from '../support/network.ts';
import { serverProcess } from '../support/processes.ts';
import { createDatabase, post } from '../support/server.ts';

const place = { organizationId: 'acme', documentId: 'plan' };
const DATABASE_URL = await createDatabase();
/** Two processes with connections to Redis that the test can cut. */
const line = await createNetwork(inject('redisUrl') ?? '');
const environment = { DATABASE_URL, REDIS_URL: line.url };
const one = await serverProcess(environment);
const two = await serverProcess(environment);
await one.start();
const [first] = await execute(DATABASE_URL, 'SELECT id FROM presence_processes');
await two.start();
const headers = await one.keyHeaders();
const api = { url: one.url, keyHeaders: headers };
const { call, open } = await editorsOf(api);
await userToken(api, 'grace', { accessRole: 'editor' });

it('a killed process takes its users offline: in awareness and in presence', async () => {
  const watcher = await open('presence', { at: two });
  const lost = await open('presence', { token: await userToken(api, 'grace') });
  lost.provider.setAwarenessField('user', { id: 'grace' });
  const shown = () => JSON.stringify([...watcher.states()]);
  const present = async () => {
    const { body } = await post(`${two.url}/v2/presence/get`, { data: place }, headers);
    return body.result.data
      .filter(({ status }: { status: string }) => status === 'online')
      .map(({ userId }: { userId: string }) => userId);
  };
  await eventually(async () => {
    expect(shown()).toContain('grace');
    expect(await present()).toEqual(['ada', 'grace']);
  });
  await one.kill();
  // A minute after its last heartbeat it counts as dead.
  const aged = "UPDATE presence_processes SET seen_at = seen_at - interval '1 minute'";
  await execute(DATABASE_URL, `${aged} WHERE id = '${first?.id}'`);
  lost.leave();
  await eventually(async () => {
    expect(shown()).not.toContain('grace');
    expect(await present()).toEqual(['ada']);
  }, 60_000);
  await one.start();
});

describe('during a Redis outage', () => {
  it('documents open and accept edits, and editors converge afterwards', async () => {
    const [here, there] = [await open('apart'), await open('apart', { at: two })];
    here.text.insert(0, 'together');
    await eventually(() => expect(there.text.toString()).toBe('together'));
    line.cut();
    here.text.insert(0, 'here ');
    there.text.insert(there.text.length, ' there');
    await Promise.all([here.sent(), there.sent()]);
    const gone = await open('apart');
    gone.text.insert(0, 'by somebody who left, ');
    await gone.sent();
    gone.provider.destroy();
    const [lateHere, lateThere] = [await open('late'), await open('late', { at: two })];
    lateHere.text.insert(0, 'late');
    await lateHere.sent();
    const edit = {
      editorId: 'apart',
      type: 'text',
      // The edit includes what the other process stored, which this process has not received.
      data: 'by somebody who left, here together there, by REST',
    };
    await call('update', edit);
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
    await one.stop();
    line.cut();
    await one.start();
    const [here, there] = [await open('joined'), await open('joined', { at: two })];
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
