import type { Document } from '@hocuspocus/server';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import type { Database } from '../../src/platform/database/database.ts';
import { WorkerPool } from '../../src/platform/worker-pool.ts';
import { OpenDocument } from '../../src/realtime/documents/open-document.ts';
import { Reconciler } from '../../src/realtime/documents/reconciler.ts';
import type { UpdateQueue } from '../../src/realtime/documents/update-queue.ts';

const name = { tenantId: 'key', organizationId: 'acme', documentId: 'plan', editorId: 'body' };

it('a reconciler stores also the edits that arrive during a running comparison before it answers a caller', async () => {
  const document = new Y.Doc() as Document;
  const open = new OpenDocument(name, document, { stored: undefined, deletedClients: [] });
  const receive = (text: string) => {
    document.getText('content').insert(0, text);
    open.mayDiffer = true;
  };
  const stored = new Y.Doc();
  const reconciliations: Array<Promise<void> | undefined> = [];
  const queue: Pick<UpdateQueue, 'add'> = {
    add: (_open, { update }) => {
      Y.applyUpdate(stored, update);
      if (reconciliations.length > 0) return;
      receive('late ');
      reconciliations.push(reconciler.reconcile(open));
    },
  };
  const reconciler = new Reconciler({
    db: { query: async () => [] } as unknown as Database,
    log: pino({ level: 'silent' }),
    queue: queue as UpdateQueue,
    workerPool: new WorkerPool(),
    onSaved: () => undefined,
  });
  receive('edit');
  await reconciler.reconcile(open);
  await Promise.all(reconciliations);
  expect(String(stored.getText('content'))).toBe('late edit');
});
