import { setTimeout as sleep } from 'node:timers/promises';
import { whenFileEnds } from '../../support/when-file-ends.ts';
import type { Measurement } from '../harness/benchmark.ts';
import { filledDatabase } from '../harness/databases.ts';
import {
  openEditor,
  organizationToken,
  prepareEditors,
  prose,
  updateCall,
} from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startReporting } from '../harness/reporting-server.ts';

const DOCUMENTS = 100;
const BYTES = 29_000;
const REPLACEMENTS = 10;
/** After this time the server has written and released what it keeps for a moment. */
const SETTLE_MS = 8_000;
const MAX_MB = 25;

const names = Array.from({ length: DOCUMENTS }, (_, n) => `document-${n}`);

/**
 * Measures the memory of documents that stay open in an editor, while REST replaces their whole text
 * several times.
 */
export const documentMemory: Measurement = {
  name: 'document-memory',
  async measure(postgres) {
    const url = await filledDatabase(postgres, (database) =>
      prepareEditors(database, { documents: DOCUMENTS, text: prose(BYTES) }),
    );
    const megabytes = (await memoryOfDocuments(url)) / 1024 / 1024;
    return [
      {
        label: 'ours',
        value: `${megabytes.toFixed(1)} MB`,
        target: `<= ${MAX_MB} MB`,
        met: megabytes <= MAX_MB,
      },
    ];
  },
};

/** How many bytes a process of its own uses more once the documents are open and replaced. */
async function memoryOfDocuments(databaseUrl: string): Promise<number> {
  const server = await startReporting(databaseUrl);
  await sleep(SETTLE_MS);
  const before = await server.usedBytes();
  const token = await organizationToken(server.url);
  for (const name of names) {
    const { close } = await openEditor(server.url, name, token);
    whenFileEnds(close);
  }
  const connection = await HttpConnection.open(server.url);
  for (let round = 0; round < REPLACEMENTS; round++) {
    for (const name of names) await connection.succeed(updateCall(name, prose(BYTES)));
  }
  connection.close();
  await sleep(SETTLE_MS);
  return (await server.usedBytes()) - before;
}
