import { beforeEach, expect, it, vi } from 'vitest';
import { Network } from '../../src/client/network.ts';
import { type SocketClass, watchedSocketClass } from '../../src/client/watched-socket.ts';

/** A socket of the runtime that is connected, and to which nothing is answered. */
class SilentSocket {
  onopen: () => void = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  send(): void {}
  close(): void {}
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // The page is visible.
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
});

/** Opens a watched socket. */
function open(isLoading = () => false) {
  const inner = new SilentSocket();
  const Base = function connect() {
    return inner;
  } as unknown as SocketClass;
  const network = new Network(new AbortController().signal);
  const Watched = watchedSocketClass(Base, network, 'PING', isLoading);
  const socket = new Watched('ws://server');
  inner.onopen();
  return { inner, socket };
}

it('a socket to which nothing is answered is closed within five seconds, and on a hidden page within thirty', () => {
  const { socket } = open();
  vi.advanceTimersByTime(4_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  vi.advanceTimersByTime(1_000);
  expect(socket.readyState).toBe(WebSocket.CLOSED);
  Object.assign(document, { visibilityState: 'hidden' });
  const hidden = open().socket;
  vi.advanceTimersByTime(29_000);
  expect(hidden.readyState).toBe(WebSocket.OPEN);
  vi.advanceTimersByTime(1_000);
  expect(hidden.readyState).toBe(WebSocket.CLOSED);
});

it('a socket waits for as long as a slow network takes for a large message, and no longer', () => {
  const { socket } = open();
  socket.send(new Uint8Array(1_000_000));
  vi.advanceTimersByTime(60_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  vi.advanceTimersByTime(10_000);
  expect(socket.readyState).toBe(WebSocket.CLOSED);
});

it('a socket waits for more than a minute while content arrives, and is watched closely again afterwards', () => {
  let isLoading = true;
  const { inner, socket } = open(() => isLoading);
  vi.advanceTimersByTime(70_000);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  isLoading = false;
  inner.onmessage({ data: 'the content' });
  vi.advanceTimersByTime(5_000);
  expect(socket.readyState).toBe(WebSocket.CLOSED);
});
