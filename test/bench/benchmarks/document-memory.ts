import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding, Measurement } from '../harness/benchmark.ts';
import { withTwins } from '../harness/databases.ts';
import {
  type Editor,
  openEditor,
  organizationToken,
  prepareEditors,
  prose,
  updateCall,
} from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startReporting } from '../harness/reporting-server.ts';
import { startBaseline, startOurs } from '../harness/servers.ts';

const DOCUMENTS = 100;
const BYTES = 29_000;
const REPLACEMENTS = 10;
/** After this time both have written and released what they keep for a moment. */
const SETTLE_MS = 8_000;
const MAX_MB = 25;

const names = Array.from({ length: DOCUMENTS }, (_, n) => `document-${n}`);

/**
 * Measures the memory of documents that stay open in an editor, while REST replaces their whole text
 * several times: here and in a Hocuspocus that stores nothing.
 */
export const documentMemory: Measurement = {
  name: 'document-memory',
  measure: (postgres) =>
    withTwins(
      postgres,
      (database) => prepareEditors(database, { documents: DOCUMENTS, text: prose(BYTES) }),
      async (oursUrl, baselineUrl) =>
        findings(
          await memoryOfDocuments(startOurs, oursUrl, organizationToken),
          await memoryOfDocuments(startBaseline, baselineUrl, async () => 'nobody asks'),
        ),
    ),
};

/** How many bytes a process of its own uses more once the documents are open and replaced. */
async function memoryOfDocuments(
  start: typeof startOurs,
  databaseUrl: string,
  tokenOf: (url: string) => Promise<string>,
): Promise<number> {
  const server = await startReporting(databaseUrl, {}, start);
  const editors: Editor[] = [];
  try {
    await sleep(SETTLE_MS);
    const before = await server.usedBytes();
    const token = await tokenOf(server.url);
    for (const name of names) editors.push(await openEditor(server.url, name, token));
    for (let round = 0; round < REPLACEMENTS; round++) await replaceAll(server.url);
    await sleep(SETTLE_MS);
    return (await server.usedBytes()) - before;
  } finally {
    for (const editor of editors) editor.close();
    await server.stop();
  }
}

async function replaceAll(url: string): Promise<void> {
  const connection = await HttpConnection.open(url);
  for (const name of names) await connection.succeed(updateCall(name, prose(BYTES)));
  connection.close();
}

function findings(ours: number, theirs: number): Finding[] {
  const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return [
    {
      label: 'ours',
      value: megabytes(ours),
      target: `<= ${MAX_MB} MB`,
      met: ours <= MAX_MB * 1024 * 1024,
    },
    { label: 'Hocuspocus alone', value: megabytes(theirs) },
  ];
}
