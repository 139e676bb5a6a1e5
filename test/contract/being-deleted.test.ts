import { expect, it } from 'vitest';
import { databaseClient } from '../support/database-client.ts';
import { inOrder, preparedExample } from '../support/example-world.ts';
import { operationOf, operations } from '../support/operations.ts';
import { type Answer, startTestServer } from '../support/server.ts';

const names = inOrder(
  operations
    .filter(({ name, meta }) => meta.level === 'apiKey' && name !== 'webhookDeliveries.resend')
    .map(({ name }) => name),
);

const isRead = (name: string) => operationOf(name).procedure._def.type === 'query';
const outcomeOf = ({ status, body }: Answer) => body.error?.details?.reason ?? status;

const setMark = (value: boolean) =>
  `UPDATE organizations SET is_being_deleted = ${value} WHERE organization_id = 'acme'`;
const ofDocument = `WHERE organization_id = 'acme' AND document_id = 'launch-plan'`;

const places = [
  { place: 'an organization', id: 'acme', mark: setMark(true), unmark: setMark(false) },
  {
    place: 'a folder with a document',
    id: 'launch-plan',
    mark: `
      INSERT INTO folders (tenant_id, organization_id, folder_id, is_being_deleted)
        SELECT tenant_id, organization_id, 'old', true FROM documents ${ofDocument}
        ON CONFLICT DO NOTHING;
      UPDATE documents SET folder_id = 'old' ${ofDocument}`,
    unmark: `UPDATE documents SET folder_id = NULL ${ofDocument}`,
  },
];

/** They say what users may do, which is nothing. */
const OF_USERS = ['permissions.get', 'permissions.explain'];

it.each(places)(
  'an API key reads what is left of $place while a job deletes it, and is not advised to add it',
  async ({ id, mark, unmark }) => {
    const server = await startTestServer({
      // No worker runs, so that what is marked stays.
      ROLES: 'api',
      // No server listens on this port.
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
    });
    const database = await databaseClient(server.databaseUrl);
    const different: string[] = [];
    const misleading: string[] = [];
    let reads = 0;
    for (const name of names) {
      const { path, request, headers } = await preparedExample(server, name);
      const call = () => server.call(path, request, headers);
      const before = isRead(name) ? await call() : undefined;
      if (JSON.stringify(request).includes(`"${id}"`)) {
        await database.query(mark);
        const marked = await call();
        await database.query(unmark);
        if (before) reads++;
        if (before && outcomeOf(marked) !== outcomeOf(before)) different.push(name);
        if (JSON.stringify(marked.body).includes('Add it first')) misleading.push(name);
      }
      // Later examples may need what this one makes.
      if (!before) await call();
    }
    expect(different).toEqual(OF_USERS);
    expect(misleading).toEqual([]);
    expect(reads).toBeGreaterThan(10);
  },
  90_000,
);
