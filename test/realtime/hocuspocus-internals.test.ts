import { setImmediate as turn } from 'node:timers/promises';
import { type Connection, type Document, MessageType } from '@hocuspocus/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveHocuspocus } from '../../src/realtime/hocuspocus-internals.ts';
import type { LiveContext } from '../../src/realtime/live-context.ts';
import { eventually } from '../support/eventually.ts';

/** These fail when an upgrade of Hocuspocus changes what `hocuspocus-internals.ts` relies on. */

const NAME = 'tenant/acme/plan/body';
const ADDRESS = `${NAME}\0session`;
/** The type of the authentication message that holds a token. */
const TOKEN = 0;

let hocuspocus: LiveHocuspocus;
let connection: Connection<LiveContext> | undefined;
let load: () => Promise<void>;

beforeEach(() => {
  connection = undefined;
  load = async () => undefined;
  hocuspocus = new LiveHocuspocus();
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
});

const varString = (text: string) => [text.length, ...Buffer.from(text)];

/** A client whose messages are only bytes in memory. */
function connect(): void {
  const socket = { readyState: 1, send: () => undefined, close: () => undefined };
  const request = new Request('http://127.0.0.1/collaboration');
  const client = hocuspocus.handleConnection(socket, request, { address: '192.0.2.1' });
  const message = [...varString(ADDRESS), MessageType.Auth, TOKEN, ...varString('token')];
  client.handleMessage(Uint8Array.from(message));
}

describe('a document', () => {
  it('is scheduled to be stored by its first edit only', async () => {
    connect();
    const { document } = await eventually(() => {
      if (!connection) throw new Error('No connection was made.');
      return connection;
    });
    const schedule = vi.spyOn(hocuspocus.debouncer, 'debounce');
    document.getText('content').insert(0, 'x');
    document.getText('content').insert(0, 'y');
    expect(schedule).toHaveBeenCalledTimes(1);
  });

  it('counts as open while it loads, and is discarded and logged when that fails', async () => {
    const loading = Promise.withResolvers<void>();
    const loads = vi.fn(() => loading.promise);
    load = loads;
    const onLoadFailed = vi.spyOn(hocuspocus, 'onLoadFailed');
    const failures: unknown[] = [];
    hocuspocus.onHookFailed = (_hook, error) => failures.push(error);
    connect();
    await eventually(() => expect(loads).toHaveBeenCalled());
    expect(hocuspocus.isOpen(NAME)).toBe(true);
    loading.reject(new Error('no database'));
    await eventually(() => expect(hocuspocus.isOpen(NAME)).toBe(false));
    expect(onLoadFailed).toHaveBeenCalledWith(NAME);
    expect(failures).toEqual([new Error('no database')]);
  });

  it('that is evicted while it opens is loaded again', async () => {
    const loaded = Promise.withResolvers<Document>();
    const opening = Promise.withResolvers<void>();
    hocuspocus.configuration.extensions.push({
      afterLoadDocument: async ({ document }) => {
        loaded.resolve(document);
        await opening.promise;
      },
    });
    const opened = hocuspocus.open(NAME);
    const evicted = await loaded.promise;
    await hocuspocus.evict(evicted, () => 'NOT_FOUND');
    opening.resolve();
    const document = await opened;
    expect(evicted.isDestroyed).toBe(true);
    expect(document.isDestroyed).toBe(false);
    expect(hocuspocus.documents.get(NAME)).toBe(document);
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
