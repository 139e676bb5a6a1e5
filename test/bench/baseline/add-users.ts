import { randomUUID } from 'node:crypto';
import type { ClientBase, Pool, PoolClient } from 'pg';

interface User {
  userId: string;
  name: string;
  email: string;
}

interface Input {
  organizationId: string;
  users: User[];
}

interface Row {
  user_id: string;
  name: string;
  email: string;
  initial: string;
  metadata: object;
  access_role: string;
  added: boolean;
}

/** Inserts organization, users with grants, and the events of both in one transaction. */
export async function addUsers(pool: Pool, tenantId: string, { organizationId, users }: Input) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const isNew = await ensureOrganization(client, tenantId, organizationId);
    const rows = await upsertUsers(client, tenantId, organizationId, users);
    await recordEvents(client, tenantId, organizationId, isNew, rows);
    await client.query('COMMIT');
    client.release();
    return { status: 'success', message: 'User(s) added successfully.', data: outcomes(rows) };
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

async function ensureOrganization(client: PoolClient, tenantId: string, organizationId: string) {
  const { rowCount } = await client.query({
    name: 'ensure-organization',
    text: `INSERT INTO organizations (tenant_id, organization_id, organization_name)
           VALUES ($1, $2, $2) ON CONFLICT DO NOTHING`,
    values: [tenantId, organizationId],
  });
  return rowCount === 1;
}

/** Inserts users and grants in one statement. */
export async function upsertUsers(
  client: ClientBase,
  tenantId: string,
  organizationId: string,
  users: User[],
) {
  const { rows } = await client.query<Row>({
    name: 'upsert-users',
    text: `
      WITH input AS (
        SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])
          AS u(user_id, name, email, initial) ORDER BY user_id
      ), upserted AS (
        INSERT INTO users (tenant_id, user_id, name, email, initial)
        SELECT $1, user_id, name, email, initial FROM input
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET
          name = excluded.name, email = excluded.email, initial = excluded.initial,
          updated_at = now()
        RETURNING user_id, name, email, initial, metadata
      ), granted AS (
        INSERT INTO grants
          (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
        SELECT $1, $2, 'organization', $2, user_id, 'editor' FROM input
        ON CONFLICT (tenant_id, organization_id, resource_type, resource_id, user_id)
          DO UPDATE SET expires_at = NULL
        RETURNING user_id, access_role, xmax = 0 AS added
      )
      SELECT * FROM upserted JOIN granted USING (user_id)`,
    values: [
      tenantId,
      organizationId,
      users.map((user) => user.userId),
      users.map((user) => user.name),
      users.map((user) => user.email),
      users.map((user) => user.name.slice(0, 1).toUpperCase()),
    ],
  });
  return rows;
}

async function recordEvents(
  client: PoolClient,
  tenantId: string,
  organizationId: string,
  isNew: boolean,
  rows: Row[],
) {
  const channel = `organization:${organizationId}`;
  const organizationAdded = {
    id: randomUUID(),
    type: 'organization.add',
    organization_id: organizationId,
    channels: [channel],
    data: { organizationId, organizationName: organizationId },
  };
  const userEvents = rows.map(({ user_id, metadata, access_role, added, ...known }) => ({
    id: randomUUID(),
    type: added ? 'user.add' : 'user.update',
    organization_id: organizationId,
    channels: [channel, `user:${user_id}`],
    data: { ...metadata, userId: user_id, ...known, accessRole: access_role },
  }));
  const events = isNew ? [organizationAdded, ...userEvents] : userEvents;
  await client.query({
    name: 'record-events',
    text: `INSERT INTO event_outbox
             (tenant_id, id, type, organization_id, channels, data, created_at)
           SELECT $1, id, type, organization_id, channels, data, now()
           FROM json_to_recordset($2::json)
             AS event(id text, type text, organization_id text, channels text[], data json)`,
    values: [tenantId, JSON.stringify(events)],
  });
}

const outcomes = (rows: Row[]) =>
  Object.fromEntries(
    rows.map(({ user_id: id, added }) => [
      id,
      { success: true, id, message: added ? 'User added.' : 'User updated.' },
    ]),
  );
