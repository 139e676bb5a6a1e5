import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Redis as RedisExtension } from '@hocuspocus/extension-redis';
import { type Connection, type Document, IncomingMessage, MessageType } from '@hocuspocus/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  asRedisOfExtension,
  awarenessPayload,
  changePayload,
  LiveHocuspocus,
  replyChannel,
  senderOf,
} from '../../src/realtime/hocuspocus-internals.ts';
import type { LiveContext } from '../../src/realtime/live-context.ts';
import { eventually } from '../support/eventually.ts';

/** These fail when an upgrade of Hocuspocus changes what `hocuspocus-internals.ts` relies on. */

const NAME = 'tenant/acme/plan/body';
const ADDRESS = `${NAME}\0session`;
/** The type of the authentication message that holds a token. */
const TOKEN = 0;

/** The methods of ours and the hooks that Hocuspocus calls, in this order. */
let calls: string[];
let hocuspocus: LiveHocuspocus;
let connection: Connection<LiveContext> | undefined;
let load: () => Promise<void>;

class Watched extends LiveHocuspocus {
  override hooks(...parameters: Parameters<LiveHocuspocus['hooks']>) {
    calls.push(parameters[0]);
    return super.hooks(...parameters);
  }
  override createDocument(...parameters: Parameters<LiveHocuspocus['createDocument']>) {
    calls.push('createDocument()');
    return super.createDocument(...parameters);
  }
  override loadDocument(...parameters: Parameters<LiveHocuspocus['loadDocument']>) {
    calls.push('loadDocument()');
    return super.loadDocument(...parameters);
  }
  override storeDocumentHooks(...parameters: Parameters<LiveHocuspocus['storeDocumentHooks']>) {
    calls.push('storeDocumentHooks()');
    return super.storeDocumentHooks(...parameters);
  }
}

beforeEach(() => {
  calls = [];
  connection = undefined;
  load = async () => undefined;
  hocuspocus = new Watched();
  hocuspocus.configure({
    quiet: true,
    connected: async (payload) => {
      connection = payload.connection;
    },
    extensions: [{ onAuthenticate: async () => undefined, onLoadDocument: () => load() }],
  });
  vi.spyOn(console, 'error');
});
afterEach(async () => {
  await hocuspocus.close();
  expect(console.error).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

const varString = (text: string) => [text.length, ...Buffer.from(text)];

/** A client whose messages are only bytes in memory. @returns what closes its socket */
function connect(): () => void {
  const socket = { readyState: 1, send: () => undefined, close: () => undefined };
  const request = new Request('http://127.0.0.1/collaboration');
  const client = hocuspocus.handleConnection(socket, request, { address: '192.0.2.1' });
  const message = [...varString(ADDRESS), MessageType.Auth, TOKEN, ...varString('token')];
  client.handleMessage(Uint8Array.from(message));
  return () => {
    socket.readyState = 3;
    client.handleClose();
  };
}

async function opened(): Promise<Connection<LiveContext>> {
  await eventually(() => expect(connection).toBeDefined());
  if (!connection) throw new Error('No connection was made.');
  return connection;
}

describe('a document', () => {
  it('calls these methods and hooks during its life', async () => {
    const leave = connect();
    const { document } = await opened();
    document.getText('content').insert(0, 'x');
    leave();
    await eventually(() => expect(hocuspocus.isOpen(NAME)).toBe(false));
    await eventually(() => expect(calls.at(-1)).toBe('afterUnloadDocument'));
    expect(calls).toEqual([
      'onConfigure',
      ...['onConnect', 'onAuthenticate', 'createDocument()', 'loadDocument()'],
      ...['onCreateDocument', 'onLoadDocument', 'afterLoadDocument', 'connected'],
      ...['onChange', 'storeDocumentHooks()', 'onDisconnect'],
      ...['onStoreDocument', 'afterStoreDocument', 'beforeUnloadDocument'],
      // The last state of awareness goes with the document.
      ...['onAwarenessUpdate', 'afterUnloadDocument'],
    ]);
  });

  it('is scheduled to be stored by its first edit only', async () => {
    connect();
    const { document } = await opened();
    const schedule = vi.spyOn(hocuspocus.debouncer, 'debounce');
    document.getText('content').insert(0, 'x');
    document.getText('content').insert(0, 'y');
    expect(schedule).toHaveBeenCalledTimes(1);
  });

  it('counts as open while it loads, and is discarded and logged when that fails', async () => {
    const loading = Promise.withResolvers<void>();
    load = () => loading.promise;
    const onLoadFailed = vi.spyOn(hocuspocus, 'onLoadFailed');
    const failures: unknown[] = [];
    hocuspocus.onHookFailed = (_hook, error) => failures.push(error);
    connect();
    await eventually(() => expect(calls.at(-1)).toBe('onLoadDocument'));
    expect(hocuspocus.isOpen(NAME)).toBe(true);
    loading.reject(new Error('no database'));
    await eventually(() => expect(hocuspocus.isOpen(NAME)).toBe(false));
    expect(onLoadFailed).toHaveBeenCalledWith(NAME);
    expect(failures).toEqual([new Error('no database')]);
  });

  it('stays for one turn after it was handed out, and longer if it must', async () => {
    const direct = await hocuspocus.openDirectConnection(NAME);
    const document = direct.document as Document;
    hocuspocus.mustStayLoaded = () => true;
    await direct.disconnect({ unloadImmediately: true });
    await turn();
    await hocuspocus.unloadDocument(document);
    expect(hocuspocus.isOpen(NAME)).toBe(true);
    hocuspocus.mustStayLoaded = () => false;
    const again = await hocuspocus.openDirectConnection(NAME);
    document.removeDirectConnection();
    await hocuspocus.unloadDocument(document);
    expect(again.document).toBe(document);
    expect(hocuspocus.isOpen(NAME)).toBe(true);
    await eventually(() => expect(hocuspocus.isOpen(NAME)).toBe(false));
  });
});

/** Takes the place of both connections, since no server is needed to see what is sent. */
class Wire extends EventEmitter {
  readonly published: Array<{ channel: string; message: Buffer }> = [];
  readonly channels: string[] = [];
  readonly options = {};
  subscribe(channel: string, done: (error?: Error) => void) {
    this.channels.push(channel);
    done();
  }
  async publish(channel: string, message: Buffer) {
    this.published.push({ channel, message });
  }
}

it('the Redis extension listens on the reply channel, and publishes a document for what we give it', async () => {
  const wire = new Wire();
  const redis = new RedisExtension({
    prefix: 'live',
    createClient: () => asRedisOfExtension(wire as never),
  });
  const { identifier } = redis.configuration;
  expect(wire.channels).toEqual([replyChannel('live', identifier)]);
  connect();
  const { document } = await opened();
  document.awareness.setLocalState({ user: 'ada' });
  await redis.onChange(changePayload(document));
  await redis.onAwarenessUpdate(awarenessPayload(document));
  await eventually(() => expect(wire.published.length).toBe(2));
  for (const { channel, message } of wire.published) {
    expect(channel).toBe(`live:${NAME}`);
    expect(senderOf(message)).toBe(identifier);
  }
  const types = wire.published.map(({ message }) => {
    const content = new IncomingMessage(message.subarray(1 + identifier.length));
    expect(content.readVarString()).toBe(NAME);
    return content.readVarUint();
  });
  expect(types).toEqual([MessageType.Sync, MessageType.Awareness]);
});
