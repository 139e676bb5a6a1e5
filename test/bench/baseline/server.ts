import { createHash } from 'node:crypto';
import { fastify } from 'fastify';
import { Pool } from 'pg';
import {
  addAnnotation,
  getAnnotations,
  getDocuments,
  getWebhookSetting,
  updatePresence,
} from './operations.ts';
import { serveEditors, updateContent } from './update-content.ts';

/**
 * One operation as a good engineer would write it by hand: one lookup of the credentials, prepared
 * statements, the rows, the JSON.
 */

type Handler = (pool: Pool, tenantId: string, data: never) => Promise<object>;

const ROUTES: Record<string, Handler> = {
  '/v2/organizations/documents/get': getDocuments,
  '/v2/commentannotations/get': getAnnotations,
  '/v2/workspace/advancedwebhookconfig/get': getWebhookSetting,
  '/v2/presence/update': updatePresence,
  '/v2/commentannotations/add': addAnnotation,
};

// As many connections as our server uses by default.
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const app = fastify();

app.get('/healthz', async () => ({ status: 'ok' }));

for (const [path, handler] of Object.entries(ROUTES)) {
  app.post<{ Body: { data: never } }>(path, async (request, reply) => {
    const tenantId = await authenticate(request.headers);
    if (tenantId === undefined) return reply.code(403).send({ error: { code: 403 } });
    return { result: await handler(pool, tenantId, request.body.data) };
  });
}

// Hocuspocus alone, with neither credentials nor storage.
app.post<{ Body: { data: Parameters<typeof updateContent>[0] } }>(
  '/v2/crdt/update',
  async ({ body }) => ({ result: await updateContent(body.data) }),
);

async function authenticate(headers: Record<string, unknown>): Promise<string | undefined> {
  const hash = createHash('sha256').update(String(headers['x-svc-auth-token'])).digest();
  const { rows } = await pool.query<{ id: string }>({
    name: 'authenticate',
    text: `SELECT k.id, k.allowed_domains, k.advanced_queries
           FROM auth_tokens t JOIN api_keys k ON k.id = t.tenant_id
           WHERE t.tenant_id = $1 AND t.hash = $2`,
    values: [headers['x-svc-api-key'], hash],
  });
  return rows[0]?.id;
}

serveEditors(app.server, pool);
process.once('SIGTERM', () => process.exit(0));
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
