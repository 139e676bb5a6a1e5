import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { compactLog } from '../../src/features/crdt/compact-log.ts';
import { appendUpdates } from '../../src/features/crdt/log/append-updates.ts';
import { loadStored, withStored } from '../../src/features/crdt/log/load-stored.ts';
import { MAX_LOG_UPDATES } from '../../src/realtime/documents/log-length.ts';
import { planServer } from '../support/editors.ts';
import { eventually } from '../support/eventually.ts';

const WRITERS = 4;
const UPDATES_EACH = 60;
const { server, open } = await planServer();

const place = { tenantId: server.quickstart.apiKey, organizationId: 'acme', documentId: 'plan' };
const nameOf = (editorId: string) => ({ ...place, editorId });

describe('compaction', () => {
  it('never loses an update that arrives meanwhile, also if another process compacts', async () => {
    const { services } = server.app;
    const { db, events, clock } = services;
    const name = nameOf('raced');
    let writing = WRITERS;
    const write = async (writer: number) => {
      const doc = new Y.Doc();
      const updates: Uint8Array[] = [];
      doc.on('update', (update: Uint8Array) => updates.push(update));
      for (let at = 0; at < UPDATES_EACH; at++) {
        doc.getMap('content').set(`${writer}-${at}`, at);
        const [update = new Uint8Array()] = updates.splice(0);
        const append = { name, logId: undefined, content: undefined, userId: undefined };
        await appendUpdates({ db, events, clock }, [
          { ...append, updates: [update], count: 1, baseVersion: 0 },
        ]);
      }
      writing--;
    };
    let compactions = 0;
    const compact = async () => {
      while (writing > 0) {
        await compactLog(services, name);
        compactions++;
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    await Promise.all([...writers, compact(), compact()]);
    const stored = await loadStored(db, name);
    const size = withStored(stored, (doc) => doc.getMap('content').size);
    expect(size).toBe(WRITERS * UPDATES_EACH);
    expect(Number(stored?.version)).toBe(WRITERS * UPDATES_EACH);
    expect(compactions).toBeGreaterThan(5);
  });

  it('bounds the log of a document that stays open, however often it changes', async () => {
    const editor = await open('long');
    editor.text.insert(0, 'x');
    await editor.sent();
    const { liveDocuments } = server.app.services;
    // Each edit returns when it is stored, so each has its own row.
    const edits = 1.2 * MAX_LOG_UPDATES;
    let longest = 0;
    for (let at = 2; at <= edits; at++) {
      await liveDocuments.edit(nameOf('long'), {
        author: undefined,
        make: (doc) => doc.getText('content').insert(0, 'x'),
      });
      if (at % 100 === 0) longest = Math.max(longest, await lengthOfLog('long'));
    }
    expect(longest).toBeGreaterThan(MAX_LOG_UPDATES / 2);
    await eventually(async () => {
      // The log may have one more update for each kilobyte of the snapshot.
      expect(await lengthOfLog('long')).toBeLessThanOrEqual(1.1 * MAX_LOG_UPDATES);
    });
    const again = await open('long');
    expect(again.text.length).toBe(edits);
    await eventually(() => expect(editor.text.length).toBe(edits));
  });
});

const lengthOfLog = async (editorId: string): Promise<number> =>
  (await loadStored(server.app.services.db, nameOf(editorId)))?.updates.length ?? 0;
