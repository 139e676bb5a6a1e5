import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Client } from 'pg';
import { type Point, timeByTurns } from '../growth/by-turns.ts';
import { sizesAmong } from '../growth/sizes.ts';
import type { Growth, Sample } from '../harness/benchmark.ts';
import { type Postgres, withFilled } from '../harness/databases.ts';
import type { EditingRequest } from '../harness/editing-process.ts';
import { openTo, organizationToken, prepareEditors, prose } from '../harness/editors.ts';
import { HttpConnection } from '../harness/http-connection.ts';
import type { RawEditor } from '../harness/raw-editor.ts';
import { type ReportingServer, startReporting } from '../harness/reporting-server.ts';

const SIZES = [10, 100, 1_000, 5_000];
const EDITORS_OF_A_DOCUMENT = 10;
const BYTES = 1_000;
/** Each editor types a letter now and then, since Hocuspocus closes silent connections. */
const PER_SECOND = 1 / 30;
const SECONDS = 60;
const DEADLINE_MS = 30_000;

/** 10 to 5,000 editors are connected, ten in each document, and type slowly. */
const connections: Growth = {
  name: 'growth-connections',
  sizeOf: 'connections',
  async sample(postgres) {
    const samples: Sample[] = [];
    for (const size of sizesAmong(SIZES)) {
      samples.push(...(await withConnections(postgres, size)));
    }
    return samples;
  },
};

function withConnections(postgres: Postgres, size: number): Promise<Sample[]> {
  const documents = size / EDITORS_OF_A_DOCUMENT;
  // The last document is for the two editors whose edits are timed.
  const prepare = (database: Client) =>
    prepareEditors(database, { documents: documents + 1, text: prose(BYTES) });
  return withFilled(postgres, prepare, async (databaseUrl) => {
    const server = await startReporting(databaseUrl);
    const crowd = fork(path.join(import.meta.dirname, '../harness/editing-process.ts'));
    try {
      const bytesBefore = await server.usedBytes();
      const order = await crowdOf(server.url, size);
      crowd.send(order);
      await once(crowd, 'message');
      const bytes = ((await server.usedBytes()) - bytesBefore) / size;
      crowd.send('type');
      const times = await timeBeside(server, `document-${documents}`, size);
      const table = 'Memory of connected editors';
      return [
        ...times,
        { table, line: 'each of ten in a document', size, unit: 'KB', median: bytes / 1024 },
      ];
    } finally {
      crowd.disconnect();
      await server.stop();
    }
  });
}

async function crowdOf(url: string, size: number): Promise<EditingRequest> {
  const documents = Array.from(
    { length: size / EDITORS_OF_A_DOCUMENT },
    (_, n) => `acme/document-${n}/body`,
  );
  // A user has few connections to one document, and many in all.
  const tokens = await Promise.all(
    Array.from({ length: EDITORS_OF_A_DOCUMENT }, (_, n) => organizationToken(url, `user-${n}`)),
  );
  return {
    url,
    documents,
    tokens: Array.from({ length: size }, (_, n) => tokens[n % tokens.length] ?? ''),
    perSecond: PER_SECOND,
    seconds: SECONDS,
  };
}

async function timeBeside({ url }: ReportingServer, documentId: string, size: number) {
  const writer = await openTo(url, documentId);
  const reader = await openTo(url, documentId);
  const connection = await HttpConnection.open(url);
  try {
    return await timeByTurns(pointsOf(size, { writer, reader, connection, documentId }));
  } finally {
    writer.close();
    reader.close();
    connection.close();
  }
}

interface Observers {
  writer: RawEditor;
  reader: RawEditor;
  connection: HttpConnection;
  documentId: string;
}

function pointsOf(size: number, { writer, reader, connection, documentId }: Observers): Point[] {
  const table = 'Time beside connected editors';
  return [
    {
      table,
      line: 'from an edit to another editor',
      size,
      async run() {
        const arrived = reader.nextEdit(DEADLINE_MS);
        writer.type('x');
        await arrived;
      },
    },
    {
      table,
      line: 'a read over REST',
      size,
      async run() {
        const data = { organizationId: 'acme', documentIds: [documentId] };
        const call = { path: '/v2/organizations/documents/get', data };
        const { status, body } = await connection.post(call);
        if (status !== 200) throw new Error(body);
      },
    },
  ];
}

export default connections;
