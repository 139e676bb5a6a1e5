import { setImmediate as turn } from 'node:timers/promises';
import type { Connection, Document } from '@hocuspocus/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveHocuspocus } from '../../src/realtime/hocuspocus-internals.ts';
import { eventually } from '../support/eventually.ts';

/** These fail when an upgrade of Hocuspocus changes what `hocuspocus-internals.ts` relies on. */

const NAME = 'tenant/acme/plan/body';

let hocuspocus: LiveHocuspocus;
let load: () => Promise<void>;

beforeEach(() => {
  load = async () => undefined;
  hocuspocus = new LiveHocuspocus();
  hocuspocus.configure({ quiet: true, extensions: [{ onLoadDocument: () => load() }] });
  vi.spyOn(console, 'error');
});
afterEach(async () => {
  await hocuspocus.close();
  expect(console.error).not.toHaveBeenCalled();
});

/** Opens a document with a connection, which nobody reads. */
async function openConnected(): Promise<Document> {
  const document = await hocuspocus.open(NAME);
  const connection: Partial<Connection> = { send: () => undefined, messageAddress: NAME };
  return document.addConnection(connection as Connection);
}

describe('a document', () => {
  it('is scheduled to be stored by its first edit only', async () => {
    const document = await openConnected();
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
    const opened = openConnected();
    await eventually(() => expect(loads).toHaveBeenCalled());
    expect(hocuspocus.isOpen(NAME)).toBe(true);
    loading.reject(new Error('no database'));
    await expect(opened).rejects.toThrow('no database');
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

  it('is stored as soon as its last connection is closed', async () => {
    const stored = vi.fn();
    hocuspocus.configuration.extensions.push({ onStoreDocument: stored });
    const document = await openConnected();
    document.getText('content').insert(0, 'x');
    hocuspocus.connectionClosed(document);
    expect(stored).not.toHaveBeenCalled();
    document.connections.clear();
    hocuspocus.connectionClosed(document);
    await eventually(() => expect(hocuspocus.isOpen(NAME)).toBe(false));
    expect(stored).toHaveBeenCalledTimes(1);
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
