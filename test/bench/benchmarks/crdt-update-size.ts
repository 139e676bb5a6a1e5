import type { Finding, Measurement } from '../harness/benchmark.ts';
import { withFilled } from '../harness/databases.ts';
import { openTo, prepareEditors, prose, updateCall, withWord } from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import { startOurs } from '../harness/servers.ts';

const BYTES = 500_000;
const PARAGRAPH = 500;
const DEADLINE_MS = 30_000;
const MOST = 1_024;
const TEXT = prose(BYTES);

const contents: Record<string, (text: string) => string> = {
  text: (text) => text,
  xml: (text) => text.replaceAll(new RegExp(`.{1,${PARAGRAPH}}`, 'g'), '<paragraph>$&</paragraph>'),
};

/** Measures the bytes that a connected editor receives when REST changes one word in 500 KB. */
const crdtUpdateSize: Measurement = {
  name: 'crdt-update-size',
  measure: (postgres) =>
    withFilled(
      postgres,
      (database) => prepareEditors(database, { documents: 1, text: '' }),
      async (databaseUrl) => {
        const server = await startOurs(databaseUrl);
        try {
          return [await measure(server.url, 'text'), await measure(server.url, 'xml')];
        } finally {
          await server.stop();
        }
      },
    ),
};

async function measure(url: string, type: 'text' | 'xml'): Promise<Finding> {
  const connection = await HttpConnection.open(url);
  const content = (n: number) => contents[type]?.(withWord(TEXT, n)) ?? '';
  const post = async (path: string, n: number) => {
    const call = updateCall('document-0', type, content(n), type);
    const { status, body } = await connection.post({ ...call, path });
    if (status !== 200) throw new Error(body);
  };
  await post('/v2/crdt/add', 0);
  const editor = await openTo(url, 'document-0', type);
  const arrived = editor.nextEdit(DEADLINE_MS);
  await post('/v2/crdt/update', 1);
  const bytes = await arrived;
  connection.close();
  editor.close();
  const label = `one word in ${BYTES / 1_000} KB of ${type}`;
  return { label, value: `${bytes} bytes`, target: `< ${MOST}`, met: bytes < MOST };
}

export default crdtUpdateSize;
