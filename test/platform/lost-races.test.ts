import { describe, expect, it } from 'vitest';
import { claimClientOwners } from '../../src/features/crdt/log/client-owners.ts';
import { missingLogInsertion } from '../../src/features/crdt/log/logs.ts';
import { createLogger } from '../../src/platform/logging.ts';
import { dataOf, failureOf, fresh } from '../support/answers.ts';
import { databaseClient } from '../support/database-client.ts';
import { organize } from '../support/directory.ts';
import { type Held, holdTransaction } from '../support/hold-transaction.ts';
import { NOTIFICATION } from '../support/notifications.ts';
import { startTestServer } from '../support/server.ts';
import { sourceFiles } from '../support/source-files.ts';

const logged: string[] = [];

const log = createLogger('info', { write: (line) => logged.push(line) });
const server = await startTestServer({ ROLES: 'api' }, { log });
const tenantId = server.quickstart.apiKey;
const watching = await databaseClient(server.databaseUrl);

const { ok } = server;

/** An organization with a document and a folder. */
const newOrganization = () =>
  organize(server, fresh('org'), { documents: ['plan'], folders: ['drafts'] });

/** Runs `work` beside a transaction, whose second statement and COMMIT follow once `work` waits. */
async function whileWaiting<Result>(
  [before, after]: [before: Held, after: Held | undefined],
  work: () => Promise<Result>,
): Promise<Result> {
  const other = await holdTransaction(server.databaseUrl, ...before);
  const working = work();
  await other.holdsUp(1);
  if (after) await other.query(...after);
  await other.release();
  return working;
}

const deletionOf = (table: string, row: Record<string, string>): Held => {
  const conditions = Object.keys(row).map((column, index) => `AND ${column} = $${index + 2}`);
  const text = `DELETE FROM ${table} WHERE tenant_id = $1 ${conditions.join(' ')}`;
  return [text, [tenantId, ...Object.values(row)]];
};

/** Runs `work` while a row is being deleted. */
const whileDeleting = <Result>(
  table: string,
  row: Record<string, string>,
  work: () => Promise<Result>,
): Promise<Result> => whileWaiting([deletionOf(table, row), undefined], work);

/** Name a row of the organization in the table of its kind. */
const COLUMNS = {
  organization: {},
  folder: { folder_id: 'drafts' },
  document: { document_id: 'plan' },
};

describe('a call that refers to a row deleted before its write', () => {
  const inDrafts = { folderId: 'drafts' };
  const inPlan = { documentId: 'plan' };
  const documents = [{ documentId: 'new' }];
  const content = { editorId: 'body', type: 'text', data: 'One' };
  const team = { organizationUserGroupId: 'team', userIds: ['ada'] };

  it.each<[kind: keyof typeof COLUMNS, path: string, data: object]>([
    ['organization', '/v2/organizations/documents/add', { documents }],
    ['organization', '/v2/organizations/folders/add', { folders: [{ folderId: 'new' }] }],
    [
      'organization',
      '/v2/organizations/usergroups/add',
      { organizationUserGroups: [{ groupId: 'team' }] },
    ],
    ['organization', '/v1/organizations/usergroups/users/add', team],
    ['organization', '/v2/notifications/config/set', { userId: 'ada', config: { inbox: 'NONE' } }],
    ['folder', '/v2/organizations/documents/add', { ...inDrafts, documents }],
    ['folder', '/v2/organizations/documents/move', { ...inDrafts, documentIds: ['plan'] }],
    ['document', '/v2/crdt/add', { ...inPlan, ...content }],
  ])('finds no %s: %s', async (kind, path, data) => {
    const organizationId = await newOrganization();
    await ok('/v1/users/add', { organizationId: fresh('org'), users: [{ userId: 'ada' }] });
    const row = { organization_id: organizationId, ...COLUMNS[kind] };
    const answer = await whileDeleting(`${kind}s`, row, () =>
      server.call(path, { organizationId, ...data }),
    );
    const reason = `${kind}_not_found`;
    expect(failureOf(answer)).toEqual({ http: 400, status: 'INVALID_ARGUMENT', reason });
  });

  it('finds no parent folder', async () => {
    const organizationId = await newOrganization();
    const folder = { organization_id: organizationId, folder_id: 'drafts' };
    const folders = [{ folderId: 'new', folderName: 'New', parentFolderId: 'drafts' }];
    const answer = await whileDeleting('folders', folder, () =>
      server.call('/v2/organizations/folders/add', { organizationId, folders }),
    );
    expect(dataOf(answer).new.message).toBe('Parent folder does not exist.');
  });

  it('creates the recipient of a notification again', async () => {
    const place = { organizationId: await newOrganization(), documentId: 'plan' };
    const userId = fresh('user');
    await ok('/v1/users/add', { organizationId: fresh('org'), users: [{ userId }] });
    const notification = { ...NOTIFICATION, ...place, notifyUsers: [{ userId }] };
    // The user is deleted after the call has seen that the user exists.
    const lock: Held = ['LOCK TABLE notifications IN SHARE MODE'];
    const answer = await whileWaiting([lock, deletionOf('users', { user_id: userId })], () =>
      server.call('/v2/notifications/add', notification),
    );
    dataOf(answer);
    const { organizationId } = place;
    expect(await ok('/v2/notifications/get', { organizationId, userId })).toHaveLength(1);
  });

  it.each([
    ['creates no log of a document', false],
    ['claims no clients of a log', true],
  ])('%s', async (_what, hasLog) => {
    const { db } = server.app.services;
    const place = { organizationId: await newOrganization(), documentId: 'plan' };
    const name = { tenantId, ...place, editorId: 'default' };
    if (hasLog) await db.query(missingLogInsertion([name], new Date()));
    const document = { organization_id: place.organizationId, document_id: 'plan' };
    const { rows } = await watching.query(
      'SELECT log_id FROM crdt_documents WHERE tenant_id = $1 AND organization_id = $2',
      [tenantId, place.organizationId],
    );
    const claim = { name, logId: rows[0]?.log_id, clients: [1], userId: 'ada', now: new Date() };
    const claimed = await whileDeleting('documents', document, () => claimClientOwners(db, claim));
    expect(claimed).toBeUndefined();
  });
});

it('a violation of a key that no statement names is a defect: INTERNAL, logged as an error, and not retried', async () => {
  const place = { organizationId: await newOrganization(), documentId: 'plan' };
  await watching.query(
    `ALTER TABLE recordings ADD CONSTRAINT "recordings_author_fkey"
       FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, user_id) NOT VALID`,
  );
  const statements = await server.statementsOf(async () => {
    logged.length = 0;
    const answer = await server.call('/v2/recordings/add', {
      ...place,
      recordings: [{ from: { userId: 'nobody' }, url: 'https://example.com/a.webm' }],
    });
    expect(failureOf(answer)).toMatchObject({ http: 500, status: 'INTERNAL' });
  });
  expect(statements.filter((text) => text.includes('INTO recordings'))).toHaveLength(1);
  const errors = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
  expect(errors).toEqual([
    expect.objectContaining({ err: expect.objectContaining({ code: '23503' }) }),
  ]);
});

it('every constraint that a statement names exists', async () => {
  const named = sourceFiles().flatMap(({ text }) => text.match(/(?<=')\w+_[fp]key(?=')/g) ?? []);
  const { rows } = await watching.query(
    `SELECT conname FROM pg_constraint WHERE contype IN ('f', 'p')`,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(rows.map(({ conname }) => conname)).toEqual(expect.arrayContaining(named));
});
