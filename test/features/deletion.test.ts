import { expect, it } from 'vitest';
import { removeFiles } from '../../src/features/attachments/remove-files.ts';
import { testServer } from '../support/server.ts';
import { leaveTraces } from '../support/user-traces.ts';

/** The rows that are deleted with a document and with an organization. */

const server = testServer({ ROLES: 'api' });

/** The tables with rows of an organization, or of one document in it. */
async function tablesOf(organizationId: string, documentId?: string): Promise<string[]> {
  // Until then, events are in the outbox.
  await server.app.services.events.sequence();
  const { pool } = server.app.services.db;
  const { rows: tables } = await pool.query<{ name: string; hasDocument: boolean }>(
    `SELECT table_name AS name, bool_or(column_name = 'document_id') AS "hasDocument"
     FROM information_schema.columns WHERE table_schema = 'public'
     GROUP BY 1 HAVING bool_or(column_name = 'organization_id') ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name, hasDocument } of tables) {
    if (documentId !== undefined && !hasDocument) continue;
    const { rows } = await pool.query(
      `SELECT 1 FROM ${name} WHERE organization_id = $1
         AND ${documentId === undefined ? '$2::text IS NULL' : 'document_id = $2'} /* all tenants */`,
      [organizationId, documentId],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

async function fill(organizationId: string): Promise<void> {
  const ada = { userId: 'ada', name: 'Ada Lovelace', email: 'countess@lovelace.example' };
  await leaveTraces(server, server.keyHeaders, organizationId, ada);
  const preference = { documentIds: ['plan'], config: { inbox: 'NONE' } };
  const user = { organizationId, userId: 'ada' };
  await server.ok('/v2/notifications/config/set', { ...user, ...preference });
}

const OF_DOCUMENTS = `annotation_counters attachments comment_annotations crdt_documents documents
  events notification_preferences notification_recipients notifications presence
  presence_connections recordings`.split(/\s+/);
const OF_ORGANIZATIONS = `activities activity_chains annotation_users folders grants
  memory_judgments organizations user_group_members user_groups`.split(/\s+/);

it('a document leaves only its events, and an organization also the judgments of the key', async () => {
  await fill('acme');
  expect(await tablesOf('acme', 'plan')).toEqual(OF_DOCUMENTS);
  expect(await tablesOf('acme')).toEqual([...OF_DOCUMENTS, ...OF_ORGANIZATIONS].sort());
  const documents = { organizationId: 'acme', documentIds: ['plan'] };
  await server.ok('/v2/organizations/documents/delete', documents);
  await removeFiles(server.app.services);
  expect(await tablesOf('acme', 'plan')).toEqual(['events']);
  await fill('other');
  for (const organizationId of ['acme', 'other']) {
    await server.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
    await removeFiles(server.app.services);
    expect(await tablesOf(organizationId)).toEqual(['events', 'memory_judgments']);
  }
});

it('an organization without documents leaves no presence in documents that do not exist', async () => {
  const organizationId = 'bare';
  const organizations = [{ organizationId }];
  await server.ok('/v2/organizations/add', { organizations });
  const nowhere = { organizationId, documentId: 'nowhere', users: [{ userId: 'ada' }] };
  await server.ok('/v2/presence/update', nowhere);
  await server.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
  expect(await tablesOf(organizationId)).toEqual(['events']);
});
