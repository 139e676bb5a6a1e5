import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { Redis as RedisExtension } from '@hocuspocus/extension-redis';
import {
  type Connection,
  type Document,
  type Extension,
  type HookName,
  IncomingMessage,
  MessageType,
} from '@hocuspocus/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  asRedisOfExtension,
  awarenessUpdateOf,
  changeOf,
  LiveHocuspocus,
  replyChannel,
  senderOf,
  shownClients,
} from '../../src/realtime/hocuspocus-internals.ts';
import type { LiveContext } from '../../src/realtime/live-context.ts';
import { closing, Refusal } from '../../src/realtime/refusal.ts';
import { eventually } from '../support/eventually.ts';

/** These fail when an upgrade of Hocuspocus changes what `hocuspocus-internals.ts` relies on. */

const NAME = 'tenant/acme/plan/body';
const ADDRESS = `${NAME}\0session`;
/** Types of authentication messages: a token, a refusal, and an acceptance. */
const [TOKEN, DENIED, ACCEPTED] = [0, 1, 2];

/** The methods of ours and the hooks that Hocuspocus calls, in this order. */
let calls: string[];
let hocuspocus: LiveHocuspocus;
let connection: Connection<LiveContext> | undefined;
let ownHooks: Partial<Extension<LiveContext>>;

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
  ownHooks = {};
  hocuspocus = new Watched();
  hocuspocus.configure({
    quiet: true,
    connected: async (payload) => {
      connection = payload.connection;
    },
    extensions: [
      {
        onAuthenticate: async (payload) => ownHooks.onAuthenticate?.(payload),
        onLoadDocument: async (payload) => ownHooks.onLoadDocument?.(payload),
      },
    ],
  });
  vi.spyOn(console, 'error');
});
afterEach(async () => {
  await hocuspocus.close();
  expect(console.error).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

const varString = (text: string) => [text.length, ...Buffer.from(text)];

/** A client whose messages and answers are only bytes in memory. */
function connect(token = 'token') {
  const sent: Uint8Array[] = [];
  const socket = { readyState: 1, send: (data: Uint8Array) => void sent.push(data), close() {} };
  const request = new Request('http://127.0.0.1/collaboration');
  const client = hocuspocus.handleConnection(socket, request, { address: '192.0.2.1' });
  const head = [...varString(ADDRESS), MessageType.Auth, TOKEN];
  client.handleMessage(Uint8Array.from([...head, ...varString(token)]));
  /** The messages that the client was sent: their type and what follows. */
  const answers = () =>
    sent.map((data) => {
      const message = new IncomingMessage(data);
      expect(message.readVarString()).toBe(ADDRESS);
      return { type: message.readVarUint(), message };
    });
  const leave = () => {
    socket.readyState = 3;
    client.handleClose();
  };
  return { answers, leave };
}

async function opened(): Promise<Connection<LiveContext>> {
  await eventually(() => expect(connection).toBeDefined());
  if (!connection) throw new Error('No connection was made.');
  return connection;
}

describe('a connection', () => {
  it('opens with a token, and gets its context and its rights from the hook', async () => {
    const onAuthenticate = vi.fn(async ({ connectionConfig }) => {
      connectionConfig.readOnly = true;
      return { committed: true as const };
    });
    ownHooks.onAuthenticate = onAuthenticate;
    const { answers } = connect('secret');
    const { context, readOnly, messageAddress, document } = await opened();
    expect(onAuthenticate.mock.calls[0]?.[0]).toMatchObject({
      token: 'secret',
      documentName: NAME,
      context: { address: '192.0.2.1' },
    });
    expect(context).toEqual({ address: '192.0.2.1', committed: true });
    expect({ readOnly, messageAddress }).toEqual({ readOnly: true, messageAddress: ADDRESS });
    expect(document.name).toBe(NAME);
    const [first] = answers();
    expect([first?.type, first?.message.readVarUint()]).toEqual([MessageType.Auth, ACCEPTED]);
  });

  it.each<HookName>(['onAuthenticate', 'onLoadDocument'])(
    'is refused with the reason that %s throws',
    async (hook) => {
      const refusal = new Refusal(closing('RESOURCE_EXHAUSTED'));
      ownHooks[hook as 'onAuthenticate'] = () => Promise.reject(refusal);
      const { answers } = connect();
      await eventually(() => expect(answers().at(-1)?.type).toBe(MessageType.Auth));
      await eventually(() => {
        const message = answers().at(-1)?.message;
        expect(message?.readVarUint()).toBe(DENIED);
        expect(message?.readVarString()).toBe('RESOURCE_EXHAUSTED');
      });
      expect(hocuspocus.isOpen(NAME)).toBe(false);
    },
  );

  it('removes the awareness of its clients when it closes', async () => {
    connect();
    const { document } = await opened();
    const other = connection as Connection<LiveContext>;
    shownClients(document, other).add(7);
    document.awareness.states.set(7, { user: 'ada' });
    other.close();
    expect(document.awareness.states.has(7)).toBe(false);
  });
});

describe('a document', () => {
  it('calls these methods and hooks during its life', async () => {
    const { leave } = connect();
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

  it('counts as open while it loads, and is refused as our error says when that fails', async () => {
    const loading = Promise.withResolvers<void>();
    ownHooks.onLoadDocument = () => loading.promise;
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

  it('leaves memory at once, with its connections, when it is evicted', async () => {
    const { answers } = connect();
    const { document } = await opened();
    await hocuspocus.evict(document, () => 'NOT_FOUND');
    expect(hocuspocus.isOpen(NAME)).toBe(false);
    expect(document.isDestroyed).toBe(true);
    expect(document.getConnections()).toEqual([]);
    const last = answers().at(-1);
    expect([last?.type, last?.message.readVarString()]).toEqual([MessageType.CLOSE, 'NOT_FOUND']);
  });
});

describe('the Redis extension', () => {
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

  it('listens on the reply channel, and publishes a document for what we give it', async () => {
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
    await redis.onChange(changeOf(document));
    await redis.onAwarenessUpdate(awarenessUpdateOf(document));
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
});
