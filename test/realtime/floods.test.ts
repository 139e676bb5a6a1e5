import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { type Editor, makePlan, openEditor, userToken } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';
import { type ServerProcess, serverProcess } from '../support/processes.ts';
import { RawSocket, STEP_1, STEP_2, SYNC, withLength } from '../support/raw-socket.ts';
import { createDatabase } from '../support/server.ts';

/** What one turn may take of the processor. */
const LONGEST_TURN_MS = 100;
const NOTHING = withLength(Y.encodeStateVector(new Y.Doc()));

let server: ServerProcess;
let token: string;
let name: string;
let count = 0;
beforeAll(async () => {
  server = await serverProcess({ DATABASE_URL: await createDatabase() }, { watchTurns: true });
  await server.start();
  const keyHeaders = await server.keyHeaders();
  await makePlan({ url: server.url, keyHeaders });
  token = await userToken({ url: server.url, keyHeaders }, 'ada', { accessRole: 'editor' });
});
beforeEach(() => {
  name = `acme/plan/flooded-${++count}`;
});

const sockets: RawSocket[] = [];
afterEach(() => {
  for (const { socket } of sockets.splice(0)) socket.terminate();
});

async function letIn(): Promise<RawSocket> {
  const raw = await RawSocket.open(server.url);
  sockets.push(raw);
  raw.showToken(name, token);
  await eventually(() => expect(raw.heard(name, 2, 2)).toHaveLength(1));
  return raw;
}

/** Two people who write to each other, and know when a letter did not arrive. */
async function twoOthers(): Promise<{ writer: Editor; exchange: () => Promise<void> }> {
  const writer = await openEditor({ url: server.url, name, token });
  const reader = await openEditor({ url: server.url, name, token });
  const exchange = async () => {
    writer.doc.getMap('others').set('at', performance.now());
    const expected = writer.doc.getMap('others').get('at');
    await eventually(() => expect(reader.doc.getMap('others').get('at')).toBe(expected), 10_000);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  };
  return { writer, exchange };
}

const fiveMegabytes = async ({ text, sent }: Editor) => {
  text.insert(0, 'five '.repeat(1_000_000));
  await sent(30_000);
};

describe('a client that asks for a large document without end', () => {
  it('gets one answer at a time, and holds up nobody', async () => {
    const { writer, exchange } = await twoOthers();
    await fiveMegabytes(writer);
    const flooder = await letIn();
    await server.longestTurn();
    for (let asked = 0; asked < 1_000; asked++) flooder.say(name, SYNC, STEP_1, NOTHING);
    for (let round = 0; round < 3; round++) await exchange();
    flooder.say(name, SYNC, STEP_1, NOTHING);
    // An edit behind all questions is confirmed when they are answered.
    flooder.say(name, SYNC, STEP_2, withLength(Y.encodeStateAsUpdate(new Y.Doc())));
    await eventually(() => expect(flooder.heard(name, 8, 1)).toHaveLength(1), 60_000);
    expect(await server.longestTurn()).toBeLessThan(LONGEST_TURN_MS);
    const answers = flooder.heard(name, SYNC, STEP_2);
    expect(answers.length).toBeLessThan(100);
    const last = answers.at(-1);
    expect(last?.length).toBeGreaterThan(5_000_000);
  }, 120_000);
});
