import { once } from 'node:events';
import { createServer } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { BroadcastFrames } from '../../src/realtime/sockets/binary-frame.ts';
import { MAX_PAYLOAD } from '../../src/realtime/sockets/message-limit.ts';
import { Outbox } from '../../src/realtime/sockets/outbox.ts';
import { SendBudget } from '../../src/realtime/sockets/send-budget.ts';
import { type SocketPath, Sockets } from '../../src/realtime/sockets/sockets.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { loopDependencies } from '../support/loop-dependencies.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const MEGABYTE = 1024 * 1024;

let url: string;
let budget: SendBudget;
const frames = new BroadcastFrames();
let accepted: Array<{ socket: WebSocket; outbox: Outbox }>;
beforeEach(async () => {
  const http = createServer();
  const sockets = new Sockets(loopDependencies);
  whenTestEnds(() => sockets.close());
  accepted = [];
  budget = new SendBudget({ userBytes: 8 * MEGABYTE, processBytes: 12 * MEGABYTE });
  const onOpen: SocketPath['onOpen'] = (socket, request) => {
    const outbox = new Outbox({ socket, connection: request.socket, budget, frames });
    accepted.push({ socket, outbox });
  };
  sockets.serve(http, { '/collaboration': { onOpen, maxPayload: MAX_PAYLOAD } });
  url = await listen(http);
});

async function connect(userKey: string) {
  const client = new WebSocket(`${url.replace('http', 'ws')}/collaboration`);
  whenTestEnds(() => client.terminate());
  await once(client, 'open');
  const [last] = accepted.slice(-1);
  if (!last) throw new Error('The server has not taken the socket.');
  last.outbox.assignUser(userKey);
  return { client, ...last };
}

/** A client that does not read, so that everything sent to it is buffered. */
async function stop(userKey: string) {
  const reader = await connect(userKey);
  reader.client.pause();
  // The number of bytes that the network buffers varies.
  const filler = Buffer.alloc(MEGABYTE);
  for (let sent = 0; sent < 300 && reader.socket.bufferedAmount === 0; sent++) {
    reader.socket.send(filler);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reader;
}

const megabyte = () => new Uint8Array(MEGABYTE);
const isOpen = ({ socket }: { socket: WebSocket }) => socket.readyState === WebSocket.OPEN;

it("when a user's sockets buffer too much, the slowest one is closed, and no other user's", async () => {
  const [slow, slower, other] = [await stop('ada'), await stop('ada'), await stop('bob')];
  const fast = await connect('ada');
  for (let sent = 0; sent < 3; sent++) slow.outbox.deliver(megabyte());
  other.outbox.deliver(megabyte());
  for (let sent = 0; sent < 6; sent++) slower.outbox.deliver(megabyte());
  expect([slow, slower, other, fast].map(isOpen)).toEqual([true, false, true, true]);
  const heard = once(fast.client, 'message');
  fast.outbox.deliver(megabyte());
  expect((await heard)[0]).toHaveLength(MEGABYTE);
});

it("when all sockets together buffer too much, the largest user's slowest one is closed", async () => {
  const [ada, bob, adaToo] = [await stop('ada'), await stop('bob'), await stop('ada')];
  for (let sent = 0; sent < 5; sent++) bob.outbox.deliver(megabyte());
  for (let sent = 0; sent < 2; sent++) ada.outbox.deliver(megabyte());
  for (let sent = 0; sent < 5; sent++) adaToo.outbox.deliver(megabyte());
  expect([ada, bob, adaToo].map(isOpen)).toEqual([true, true, true]);
  bob.outbox.deliver(megabyte());
  expect([ada, bob, adaToo].map(isOpen)).toEqual([true, true, false]);
});

it('a message to many sockets is in memory once, and counts once', async () => {
  const tabs = [];
  for (let tab = 0; tab < 6; tab++) tabs.push(await stop('ada'));
  for (let sent = 0; sent < 5; sent++) {
    const message = megabyte();
    for (const { outbox } of tabs) outbox.deliver(message);
  }
  expect(tabs.every(isOpen)).toBe(true);
});

it('bytes count until they are read or their socket is closed', async () => {
  const [ada, bob] = [await stop('ada'), await stop('ada')];
  for (let sent = 0; sent < 4; sent++) ada.outbox.deliver(megabyte());
  for (let sent = 0; sent < 3; sent++) bob.outbox.deliver(megabyte());
  ada.client.resume();
  await eventually(() => expect(ada.outbox.pendingBytes).toBe(0));
  bob.client.terminate();
  await eventually(() => expect(bob.outbox.pendingBytes).toBe(0));
  const cleo = await stop('ada');
  for (let sent = 0; sent < 7; sent++) cleo.outbox.deliver(megabyte());
  expect(isOpen(cleo)).toBe(true);
});

describe('a large answer', () => {
  const never = new AbortController().signal;
  const ticks = async () => {
    for (let tick = 0; tick < 5; tick++) await new Promise((resolve) => setImmediate(resolve));
  };
  const ask = (userKey: string, megabytes: number, signal = never) => {
    const request = { isGranted: false, giveBack: (): void => undefined };
    const granted = budget.reserve(userKey, megabytes * MEGABYTE, signal).then((giveBack) => {
      Object.assign(request, { isGranted: true, giveBack });
    });
    return Object.assign(request, { granted });
  };

  it('waits until its user has read enough, and closes no socket', async () => {
    const slow = await stop('ada');
    for (let sent = 0; sent < 4; sent++) slow.outbox.deliver(megabyte());
    const [ada, bob] = [ask('ada', 3), ask('bob', 3)];
    await bob.granted;
    expect(ada.isGranted).toBe(false);
    slow.client.resume();
    await ada.granted;
    expect(isOpen(slow)).toBe(true);
  });

  it('waits for those being built, and goes first to the user who holds least', async () => {
    const [first, second] = [ask('ada', 5), ask('bob', 4)];
    await Promise.all([first.granted, second.granted]);
    const [third, fourth] = [ask('ada', 1), ask('cleo', 1)];
    await ticks();
    expect([third.isGranted, fourth.isGranted]).toEqual([false, false]);
    second.giveBack();
    await fourth.granted;
    await third.granted;
  });

  it('whose client has left delays no other', async () => {
    const first = ask('ada', 6);
    await first.granted;
    const leaving = new AbortController();
    const [gone, stays] = [ask('ada', 6, leaving.signal), ask('ada', 6)];
    leaving.abort();
    await gone.granted;
    first.giveBack();
    await stays.granted;
  });

  it('of any size is built for a user who holds nothing', async () => {
    await ask('ada', 100).granted;
  });
});
