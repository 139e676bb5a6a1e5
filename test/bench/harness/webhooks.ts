import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import {
  sealNewSecret,
  urlStorageAddress,
} from '../../../src/features/webhooks/endpoints/secrets.ts';
import { Secrets } from '../../../src/platform/secrets.ts';
import { execute } from '../../support/global-setup.ts';
import { SECRET_KEY, TENANT } from './credentials.ts';
import { type Server, startOurs } from './servers.ts';

/** Creates an endpoint that receives events of one type. */
export async function seedEndpoint(
  database: Client,
  url: string,
  filterType: string,
): Promise<void> {
  const [secrets, id] = [new Secrets(SECRET_KEY), 'endpoint'];
  await database.query(
    `INSERT INTO service_settings (tenant_id, use_advanced_webhooks) VALUES ($1, true)`,
    [TENANT],
  );
  const sealedUrl = secrets.seal(url, urlStorageAddress(TENANT, id));
  await database.query(
    `INSERT INTO webhook_endpoints
       (tenant_id, id, url, filter_types, sealed_secret, start_sequence, created_at, updated_at)
     VALUES ($1, $2, $3, ARRAY[$4], $5, 0, now(), now())`,
    [TENANT, id, sealedUrl, filterType, sealNewSecret(secrets, TENANT, id)],
  );
}

/** A process that only delivers webhooks. */
export const startWorker = (databaseUrl: string): Promise<Server> =>
  startOurs(databaseUrl, {
    ROLES: 'worker',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  });

const TEXT = 'Could we say here that the launch moves to June? '.repeat(12);

/** The data of the nth event, about as large as that of a comment. */
export const dataOf = (n: number): object => ({
  n,
  annotationId: `annotation-${n}`,
  comments: [{ commentId: n, commentText: TEXT, from: { userId: 'ada', name: 'Ada Lovelace' } }],
});

/** Commits events of a type, each on its own document, in one transaction. */
export async function commitEvents(
  databaseUrl: string,
  type: string,
  count: number,
): Promise<void> {
  await execute(
    databaseUrl,
    `INSERT INTO event_outbox (tenant_id, id, type, organization_id, document_id, channels, data)
     SELECT $1, $2 || n, $3, 'acme', 'document-' || n, '{}',
            json_build_object('n', n, 'rest', $4::json)
     FROM generate_series(0, $5::int - 1) AS n`,
    [TENANT, `${randomBytes(8).toString('hex')}-`, type, JSON.stringify(dataOf(0)), count],
  );
}
