import { setImmediate as turn } from 'node:timers/promises';
import type { Document } from '@hocuspocus/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveHocuspocus } from '../../src/realtime/hocuspocus-internals.ts';
import { eventually } from '../support/eventually.ts';

/** These fail when an upgrade of Hocuspocus changes what `hocuspocus-internals.ts` relies on. */

const NAME = 'tenant/acme/plan/body';

let hocuspocus: LiveHocuspocus;

beforeEach(() => {
  hocuspocus = new LiveHocuspocus();
  hocuspocus.configure({ quiet: true });
  vi.spyOn(console, 'error');
});
afterEach(async () => {
  await hocuspocus.close();
  expect(console.error).not.toHaveBeenCalled();
});

describe('a document', () => {
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
