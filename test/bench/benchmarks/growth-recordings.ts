import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { pageTokenAfter } from '../growth/page-tokens.ts';
import { DOCUMENT, fillBy, ORGANIZATION } from '../harness/fill.ts';

const RECORDINGS = '/v2/recordings/get';
const VERSIONS = '/v2/crdt/versions/list';
const LOG_ID = '00000000-0000-4000-8000-000000000000';
const place = { organizationId: 'acme', documentId: 'plan' };
const pageSize = 50;

function tables(count: number): Tables {
  const middle = Math.floor(count / 2);
  const data = { ...place, pageSize };
  const filters = { ...place, recordingIds: undefined };
  const pageToken = pageTokenAfter('recordings.get', filters, [`recording-${middle}`]);
  const recordingIds = Array.from(
    { length: 30 },
    (_, n) => `recording-${Math.floor((n * count) / 30)}`,
  );
  return {
    'Recordings of a document, and versions of an editor': {
      'recordings: first page': { path: RECORDINGS, data },
      'recordings: page in the middle': { path: RECORDINGS, data: { ...data, pageToken } },
      'recordings: 30 by id': { path: RECORDINGS, data: { ...place, recordingIds } },
      'versions: first page': { path: VERSIONS, data: { ...data, editorId: 'body' } },
    },
  };
}

const fill = (database: Client, count: number) =>
  fillBy(database, count, [
    ORGANIZATION,
    DOCUMENT,
    `INSERT INTO recordings (tenant_id, organization_id, document_id, recording_id, author_id,
       created_ms, content)
     SELECT :tenant, 'acme', 'plan', 'recording-' || n, 'user-' || n % 100, n,
       jsonb_build_object('url', 'https://example.com/' || n,
         'from', jsonb_build_object('userId', 'user-' || n % 100))
     FROM generate_series(0, :count - 1) AS n`,
    `INSERT INTO crdt_documents (tenant_id, organization_id, document_id, editor_id, log_id,
       content_key, content_type, snapshot, snapshot_version)
     VALUES (:tenant, 'acme', 'plan', 'body', '${LOG_ID}', 'content', 'text', '\\x0000', 1)`,
    `INSERT INTO crdt_versions
       (tenant_id, log_id, number, version_id, name, version, snapshot, created_at)
     SELECT :tenant, '${LOG_ID}', n, 'version-' || n, 'Version ' || n, n, '\\x0000', now()
     FROM generate_series(1, :count) AS n`,
  ]);

export default growthOfLists({
  name: 'growth-recordings',
  sizeOf: 'recordings, and versions',
  fill,
  tables,
});
