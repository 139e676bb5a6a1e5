import { expect } from 'vitest';
import type { LoggedEvent } from '../../src/platform/events/logged-events.ts';
import type { Loose } from './answers.ts';
import { storedEvents } from './events.ts';
import type { TestServer } from './server.ts';

/** Calls that tests of organizations, folders and documents share. */
export function directoryOf(server: TestServer) {
  const post = async (path: string, data: object, headers?: Record<string, string>) => {
    const { body } = await server.call(path, data, headers);
    expect(body).toMatchObject({ result: { status: 'success' } });
    return body.result;
  };
  return {
    /** Calls /v2/organizations/<operation>, expects a success, and returns its `result`. */
    call: (operation: string, data: object, headers?: Record<string, string>): Promise<Loose> =>
      post(`/v2/organizations/${operation}`, data, headers),
    async updateFolders(organizationId: string, folders: object[]): Promise<Loose> {
      const path = '/v1/organizations/folders/update';
      return (await post(path, { organizationId, folders })).data;
    },
    /** The events of an organization, oldest first. */
    async eventsOf(organizationId: string): Promise<Array<LoggedEvent & { data: Loose }>> {
      const all = await storedEvents(server);
      return all.filter((event) => event.organizationId === organizationId);
    },
    /** The number of rows of an organization in a table. */
    async count(table: string, organizationId: string): Promise<number> {
      const { rows } = await server.app.services.db.pool.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1 AND organization_id = $2`,
        [server.quickstart.apiKey, organizationId],
      );
      return rows[0]?.count ?? 0;
    },
  };
}

interface Content {
  folders?: Array<string | object>;
  /** A document may name the folder that it is in. */
  documents?: Array<string | { documentId: string; folderId?: string; [field: string]: unknown }>;
}

/** Creates an organization with folders and documents, each given by its id or its fields. */
export async function organize(
  server: Pick<TestServer, 'ok'>,
  organizationId: string,
  { folders = [], documents = [] }: Content = {},
  headers?: Record<string, string>,
): Promise<string> {
  const add = (what: string, data: object) =>
    server.ok(`/v2/organizations/${what}add`, { organizationId, ...data }, headers);
  await add('', { organizations: [{ organizationId }] });
  const added = folders.map((one) => (typeof one === 'string' ? { folderId: one } : one));
  if (added.length > 0) await add('folders/', { folders: added });
  const all = documents.map((one) => (typeof one === 'string' ? { documentId: one } : one));
  for (const [folderId, own] of Map.groupBy(all, (one) => one.folderId)) {
    await add('documents/', { folderId, documents: own.map(({ folderId: _, ...one }) => one) });
  }
  return organizationId;
}
