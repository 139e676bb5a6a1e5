import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { archivedTables } from '../../../src/features/archived-tables.ts';
import { eraseUsersHandler } from '../../../src/features/erasure/erase-users-job.ts';
import { erasureSteps } from '../../../src/features/erasure-steps.ts';
import { importHandler } from '../../../src/features/transfer/run-transfer.ts';
import { RetryLater } from '../../../src/platform/jobs/job.ts';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import {
  dataOf,
  failureOf,
  fresh,
  type Headers,
  invalid,
  type Loose,
} from '../../support/answers.ts';
import { archivesOf } from '../../support/archives.ts';
import { organize } from '../../support/directory.ts';
import { erase, rowsMatching, tablesOf } from '../../support/erasure.ts';
import { allEvents, storedEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryOf } from '../../support/memory.ts';
import { createTenant, type TestServer, testServer } from '../../support/server.ts';
import { leaveTraces, type UserTraces } from '../../support/user-traces.ts';

const server = testServer();
/** Serves requests and runs no jobs. */
const idle = testServer({ ROLES: 'api,realtime' });
let headers: Headers;
const newKey = async () => {
  headers = await createTenant(server);
};

/** The id of the first is also a common word, and the id of the second is unmistakable. */
const ADA = { userId: 'ada', name: 'Ada Lovelace', email: 'countess@lovelace.example' };
const GRACE = { userId: 'u-7f3a-0191', name: 'Grace Hopper', email: 'Grace@Hopper.Example' };

const ask = (at: TestServer, data: object, own = headers) =>
  at.call('/v2/users/data/delete', data, own);
const statusOf = (jobId: string) => idle.ok('/v2/users/data/delete/status', { jobId }, headers);

const poolOf = ({ app }: TestServer) => app.services.db.pool;

/** All rows of all tables that contain the person as a separate word. */
function rowsNaming(at: TestServer, person: UserTraces['person'], own = headers) {
  const words = [person.userId, person.name, person.email].map((word) =>
    word.replaceAll('.', '\\.'),
  );
  return rowsMatching(at, own, `(^|[^[:alnum:]_-])(${words.join('|')})($|[^[:alnum:]_-])`);
}

/** The rows that name the person, without the event of the erasure. */
const rowsLeft = async (...args: Parameters<typeof rowsNaming>) =>
  (await rowsNaming(...args)).filter((row) => !isErasureEvent(row));

const isErasureEvent = (row: string) =>
  row.startsWith('events: ') && row.includes('user.delete') && row.includes('""erased"":true');

async function leaveRecordedTraces(person: UserTraces['person'], own = headers) {
  const organizationId = fresh('org');
  const traces = await leaveTraces(server, own, organizationId, person);
  // An event reader in the background records activities.
  await eventually(async () => {
    const filters = { organizationId, actionTypes: ['notification.add'] };
    expect(await server.ok('/v2/activities/get', filters, own)).toHaveLength(2);
  });
  await server.app.services.events.sequence();
  return traces;
}

/**
 * The rows of an organization, and its events up to a moment, since the last edits are published some
 * seconds later. Presence ends a minute later, which slow tests reach, so that is left out.
 */
async function rowsOf(organizationId: string, upTo: Date): Promise<Array<{ row: string }>> {
  const tables = `activities attachments comment_annotations crdt_documents grants notifications
    presence recordings`;
  const selects = [
    ...tables.split(/\s+/).map(
      (name) => `SELECT (to_jsonb(t) - 'event_at' - 'event_due_at' - 'lapsed')::text AS row
        FROM ${name} t WHERE organization_id = $1`,
    ),
    "SELECT c::text FROM comments c WHERE annotation_id LIKE $1 || '%'",
    `SELECT e::text FROM events e
     WHERE organization_id = $1 AND type <> 'presence.update' AND created_at <= $2`,
  ];
  const text = `${selects.join(' UNION ALL ')} ORDER BY 1 /* all tenants */`;
  return (await poolOf(server).query(text, [organizationId, upTo])).rows;
}

/** Reads how many judgments of the key have each term. */
async function counted(): Promise<number[]> {
  const { rows } = await poolOf(server).query<{ judgments: number }>(
    'SELECT judgments FROM memory_terms WHERE tenant_id = $1 ORDER BY 1',
    [headers['x-svc-api-key']],
  );
  return rows.map(({ judgments }) => judgments);
}

/** The tables that `leaveTraces` writes the person to. The guarantee covers no others. */
const TABLES = `activities annotation_users attachments comment_annotations comment_reactions
  comments crdt_clients crdt_documents crdt_history crdt_updates crdt_versions documents events
  folders grants idempotency_keys memory_judgments notification_preferences
  notification_recipients notifications organizations presence presence_connections recordings
  user_group_members users`.split(/\s+/);

/** Erases a person who is named in all tables, and expects that none names them any more. */
async function eraseEverywhere(person: UserTraces['person'], organizationId: string) {
  expect(tablesOf(await rowsNaming(server, person))).toEqual(TABLES);
  const receipt = await erase(server, headers, { userIds: ['nobody', person.userId] });
  expect(await rowsLeft(server, person)).toEqual([]);
  expect((await rowsNaming(server, person)).filter(isErasureEvent)).toHaveLength(1);
  expect(receipt).toMatchObject({
    ...{ users: 1, grants: 2, groupMemberships: 1, inbox: 2, notificationsRemoved: 1 },
    ...{ notificationPreferences: 1, presence: 1, presenceConnections: 1, reactions: 1 },
    ...{ recordings: 1, recordingFields: 1, comments: 5, subscriptionFields: 3 },
    ...{ commentAnnotations: 4, notifications: 1, editorHistory: 1, editors: 1 },
    ...{ editorUpdates: 1, editorClients: 1, documentFields: 1, folderFields: 1 },
    ...{ organizationFields: 1, userFields: 1, keptAnswers: 2 },
  });
  for (const count of Object.values(receipt)) expect(count).toBeGreaterThanOrEqual(0);
  const verified = await server.ok('/v2/activities/verify', { organizationId }, headers);
  expect(verified).toMatchObject({ valid: true, erased: receipt.activities });
  expect(verified.erased).toBeGreaterThan(3);
  expect(verified.records).toBeGreaterThan(verified.erased);
}

describe('the erasure of Ada', () => {
  let organizationId: string;
  let token: Headers;
  const ada = () => ({ organizationId, userId: 'ada' });
  const read = (path: string, data: object = {}) =>
    server.ok(`/v2/${path}/get`, { organizationId, ...data }, headers);

  beforeAll(async () => {
    await newKey();
    const otherKey = await createTenant(server);
    const elsewhere = await leaveRecordedTraces(ADA, otherKey);
    const quiet = await leaveRecordedTraces(GRACE);
    ({ organizationId, token } = await leaveRecordedTraces(ADA));
    const moment = new Date();
    /** What must stay: other users, and the same id in another key. */
    const others = async () => [
      await rowsOf(elsewhere.organizationId, moment),
      await rowsOf(quiet.organizationId, moment),
      tablesOf(await rowsNaming(server, ADA, otherKey)),
      tablesOf(await rowsNaming(server, GRACE)),
    ];
    const before = await others();
    const full = await read('users/data', ada());
    const counts = Object.values<unknown[]>(full).map((items) => items.length);
    expect(counts).toEqual([3, 1, 1, 1, 2]);
    await eraseEverywhere(ADA, organizationId);
    expect(await others()).toEqual(before);
    const kept = await read('users', { organizationId: quiet.organizationId });
    expect(kept.map(({ userId }: Loose) => userId)).toEqual(['bob', GRACE.userId]);
  });

  it('ends access, and empties users/data/get', async () => {
    expect(await read('users/data', ada())).toEqual({
      ...{ comments: [], reactions: [], recordings: [], attachments: [], notifications: [] },
    });
    const refused = await server.call('/v2/users/data/get', ada(), token);
    expect(failureOf(refused)).toMatchObject({ status: 'PERMISSION_DENIED' });
  });

  it('publishes one event for each user, with only the id', async () => {
    const published = await allEvents(server, { types: ['user.delete'] }, headers);
    expect(published.map(({ data }) => data)).toEqual([
      { userId: 'ada', erased: true },
      { userId: 'nobody', erased: true },
    ]);
    const [stored] = await storedEvents(server, { types: ['user.delete'], headers });
    expect(stored?.channels).toEqual([`organization:${organizationId}`, 'user:ada']);
  });

  it('keeps threads readable, under one random name for each deleted user', async () => {
    const annotations = await read('commentannotations');
    const find = (name: string) =>
      annotations.find(({ annotationId }: Loose) => annotationId === `${organizationId}-${name}`);
    const own = find('own');
    const { userId: alias } = own.from;
    expect(alias).toMatch(/^erased-[0-9A-Za-z]{20}$/);
    const deleted = { userId: alias, name: 'Deleted user' };
    expect(own).toMatchObject({ from: deleted, resolvedByUserId: alias });
    expect(own.comments[0]).toMatchObject({ from: deleted, commentText: 'I wrote this' });
    expect(find('assigned').assignedTo).toEqual(deleted);
    expect(find('assigned').metadata.watcherUserIds).toEqual([alias, 'bob']);
    expect(find('private').visibilityConfig.userIds).toEqual([alias, 'bob']);
    const [question, answer] = find('mention').comments;
    expect(question).toMatchObject({
      commentText: 'Ask @Deleted user, please: Deleted user. Theadamant stays.',
      commentHtml: `<p><span data-type="mention" data-id="${alias}">@Deleted user</span> <b>adamant</b></p>`,
      taggedUserContacts: [deleted],
      from: { userId: 'bob' },
      reactionAnnotations: [],
    });
    expect(answer).toMatchObject({ commentText: 'Yes', from: deleted });
    expect(Object.keys(find('mention').subscribedUsers)).toEqual(['bob']);
    expect(find('mention').unsubscribedUsers).toEqual({});
    const [both, ...others] = await read('notifications', { documentId: 'plan' });
    expect(others).toEqual([]);
    expect(both).toMatchObject({
      id: 'both',
      actionUser: deleted,
      notifyUsers: { bob: true },
      displayHeadlineMessageTemplateData: { who: 'Deleted user', boss: deleted },
      displayBodyMessage: 'Deleted user is right.',
    });
  });
});

describe('users/data/delete', () => {
  beforeEach(newKey);

  it('leaves nothing of a user with an unmistakable id in any table', async () => {
    const { organizationId } = await leaveRecordedTraces(GRACE);
    await eraseEverywhere(GRACE, organizationId);
  });

  it('deletes terms of the memory that no judgment uses any more', async () => {
    const reviewer = { userId: 'ada', name: ADA.name };
    const judged = (query: string, more: object = {}) => ({ query, decision: 'approved', ...more });
    const memory = memoryOf(server, headers);
    await memory.add([
      judged('Zeppelin for Ada Lovelace', { organizationId: 'acme', reviewer }),
      judged('Zeppelins, as Ada Lovelace has them', { reviewer }),
      judged('Love and lace'),
    ]);
    await erase(server, headers, { userIds: ['ada'] });
    expect(await memory.search('Lovelace')).toEqual([]);
    const [first] = await memory.search('Zeppelin for a deleted user', { organizationId: 'acme' });
    expect(first).toMatchObject({ similarity: 1, query: 'Zeppelin for Deleted user' });
    // The counts equal those of a memory that never had Ada's judgments.
    const counts = await counted();
    headers = await createTenant(server);
    const anew = memoryOf(server, headers);
    await anew.add([
      judged('Zeppelin for Deleted user', { organizationId: 'acme' }),
      judged('Zeppelins, as Deleted user has them'),
      judged('Love and lace'),
    ]);
    expect(counts).toEqual(await counted());
  });

  it('keeps what names the user in a field of its own', async () => {
    const own = { ...ADA, note: 'Stays' };
    const call = (path: string, data: object) =>
      server.ok(path, { organizationId: 'acme', ...data }, headers);
    await call('/v1/users/add', { users: [ADA] });
    await call('/v2/organizations/folders/add', { folders: [{ folderId: 'plans', ...own }] });
    await call('/v2/organizations/documents/add', { documents: [{ documentId: 'plan', ...own }] });
    const recording = { recordingId: 'call', url: 'https://example.com/call', ...own };
    const recordings = [{ ...recording, from: { userId: 'bob' } }];
    await call('/v2/recordings/add', { documentId: 'plan', recordings });
    await erase(server, headers, { userIds: [ADA.userId] });
    const kept = { userId: expect.stringMatching(/^erased-/), name: 'Deleted user', note: 'Stays' };
    const folder = { folderId: 'plans', ...kept };
    const document = { id: 'plan', ...kept };
    const { url } = recording;
    expect(await call('/v2/organizations/folders/get', {})).toMatchObject([folder]);
    expect(await call('/v2/organizations/documents/get', {})).toMatchObject([document]);
    expect(await call('/v2/recordings/get', { documentId: 'plan' })).toMatchObject([
      { url, from: { userId: 'bob' }, ...kept },
    ]);
    const types = ['folder.add', 'document.add', 'recording.add'];
    const events = await allEvents(server, { types }, headers);
    expect(events.map(({ data }) => data)).toMatchObject([
      folder,
      document,
      { recordingId: 'call', url, ...kept },
    ]);
  });

  it('limited to organizations, keeps the user and the data elsewhere', async () => {
    const away = await leaveRecordedTraces(ADA);
    const home = await leaveRecordedTraces(ADA);
    const moment = new Date();
    const before = await rowsOf(home.organizationId, moment);
    const organizationIds = [away.organizationId];
    const receipt = await erase(server, headers, { userIds: ['ada'], organizationIds });
    expect(receipt).toMatchObject({ users: 0, grants: 2, reactions: 1, recordings: 1, inbox: 2 });
    expect(await rowsOf(home.organizationId, moment)).toEqual(before);
    const left = (await rowsOf(away.organizationId, new Date())).filter(
      ({ row }) => /[^-\w]ada[^-\w]/.test(row) && !row.includes('""erased"":true'),
    );
    expect(left).toEqual([]);
    const published = (await allEvents(server, { types: ['user.delete'] }, headers)).at(-1);
    expect(published).toMatchObject({
      metadata: { organizationId: away.organizationId },
      data: { userId: 'ada', erased: true, organizationIds },
    });
    const user = { organizationId: home.organizationId, userIds: ['ada'] };
    expect(await server.ok('/v2/users/get', user, headers)).toHaveLength(1);
    // Bob is in no other organization, so he is deleted completely.
    const both = { userIds: ['bob'], organizationIds: [...organizationIds, home.organizationId] };
    expect(await erase(server, headers, both)).toMatchObject({ users: 1 });
  });

  it('refuses an empty list of organizations, unknown ones, and unknown jobs', async () => {
    const none = await ask(server, { userIds: ['a'], organizationIds: [] });
    expect(none.body).toEqual(invalid('organizationIds'));
    const unknown = await ask(server, { userIds: ['a'], organizationIds: [fresh('org')] });
    expect(failureOf(unknown)).toMatchObject({ http: 400, reason: 'organization_not_found' });
    const job = await server.call('/v2/users/data/delete/status', { jobId: 'none' }, headers);
    expect(failureOf(job)).toMatchObject({ http: 404, status: 'NOT_FOUND' });
  });
});

describe('the erasure job', () => {
  beforeEach(async () => {
    headers = await createTenant(idle);
  });

  const run = (jobId: string, signal: AbortSignal) => {
    const payload = { tenantId: headers['x-svc-api-key'], jobId };
    return eraseUsersHandler(erasureSteps).run(idle.app.services, payload, signal);
  };
  /** A signal that aborts after this many checks. */
  const stopAfter = (steps: number): AbortSignal => {
    let checks = 0;
    const { signal } = new AbortController();
    signal.throwIfAborted = () => {
      if (checks++ === steps) throw new Error('killed');
    };
    return signal;
  };

  it('resumes after its process was killed, counts nothing twice, and reports its progress', async () => {
    const organizationId = fresh('org');
    await leaveTraces(idle, headers, organizationId, ADA);
    const { jobId, tasksCount } = dataOf(await ask(idle, { userIds: ['ada'] }));
    const begun = { isDeleteCompleted: false, tasksLeft: tasksCount };
    expect(await statusOf(jobId)).toEqual(begun);
    const seen: number[] = [];
    for (let left = tasksCount; left > 0; ) {
      await run(jobId, stopAfter(3)).catch((error: Error) => expect(error.message).toBe('killed'));
      const status = await statusOf(jobId);
      expect(status.isDeleteCompleted).toBe(status.tasksLeft === 0);
      expect('receipt' in status).toBe(status.isDeleteCompleted);
      // A task has several parts where it waits, as for imports.
      expect([1, 2, 3]).toContain(left - status.tasksLeft);
      left = status.tasksLeft;
      seen.push(left);
    }
    expect(seen.length).toBeGreaterThan(10);
    const { receipt, lastTaskCompletedTime } = await statusOf(jobId);
    expect(lastTaskCompletedTime).toBeGreaterThan(Date.now() - 60_000);
    expect(receipt).toMatchObject({ users: 1, grants: 2, recordings: 1, comments: 5 });
    expect(await rowsLeft(idle, ADA)).toEqual([]);
    await run(jobId, stopAfter(3));
    expect((await statusOf(jobId)).receipt).toEqual(receipt);
  });

  it('runs once at two workers, in steps, and finds data written meanwhile', async () => {
    const { annotationId, ...place } = await annotationsOf(idle, headers).annotated();
    await idle.ok('/v1/users/add', { ...place, users: [ADA] }, headers);
    await poolOf(idle).query(
      `INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content, created_at, last_updated)
       SELECT $1, $2, n, CASE WHEN n % 3 = 0 THEN 'ada' ELSE 'bob' END, '{"userId":"bob"}', '{}', 1, 1
       FROM generate_series(10, 2509) n`,
      [headers['x-svc-api-key'], annotationId],
    );
    const { jobId } = dataOf(await ask(idle, { userIds: ['ada'] }));
    await run(jobId, stopAfter(15)).catch(() => undefined);
    // Access is gone, but a backend may still write about the user.
    const users = [{ userId: 'ada' }];
    await idle.ok('/v2/presence/update', { ...place, users }, headers);
    const { signal } = new AbortController();
    await Promise.all([run(jobId, signal), run(jobId, signal)]);
    const { receipt } = await statusOf(jobId);
    expect(receipt).toMatchObject({ users: 1, presence: 1, comments: 1 + 833 });
    expect(await rowsLeft(idle, ADA)).toEqual([]);
  });

  it('finds what an import stores that was requested before', async () => {
    await newKey();
    const { organizationId } = await annotationsOf(server, headers).annotated({ assignedTo: ADA });
    const { content } = await archivesOf(server, headers).export(organizationId);
    headers = await createTenant(idle);
    await idle.ok('/v1/users/add', { organizationId: 'other', users: [ADA] }, headers);
    const archives = archivesOf(idle, headers);
    const importId = await archives.start(content);
    const { jobId } = dataOf(await ask(idle, { userIds: ['ada'] }));
    const { signal } = new AbortController();
    await expect(run(jobId, signal)).rejects.toThrow(RetryLater);
    const payload = { tenantId: headers['x-svc-api-key'], jobId: importId };
    await importHandler(archivedTables).run(idle.app.services, payload, signal);
    expect(await archives.status(importId)).toMatchObject({ state: 'done' });
    // The erasure does not wait for a later import.
    await archives.start(content);
    await run(jobId, signal);
    expect(await rowsLeft(idle, ADA)).toEqual([]);
  });

  it('revokes user tokens on request, unless it is limited to organizations', async () => {
    const organizationId = await organize(idle, fresh('org'), {}, headers);
    const onOrganization = { type: 'organization', id: organizationId };
    const token = await userHeaders(idle, 'ada', [onOrganization], headers);
    const own = { organizationId, userId: 'ada' };
    const read = async () => failureOf(await idle.call('/v2/users/data/get', own, token));
    await ask(idle, { userIds: ['ada'], organizationIds: [organizationId] });
    expect(await read()).toMatchObject({ http: 200 });
    await ask(idle, { userIds: ['ada'] });
    expect(await read()).toMatchObject({ http: 403, reason: 'TOKEN_REVOKED' });
  });

  it('is the same for repeated calls while it runs, and a new one afterwards', async () => {
    const both = { userIds: ['ada', 'bob'] };
    const first = dataOf(await ask(idle, both));
    const named = [both, { userIds: ['bob', 'ada', 'bob'] }];
    const again = await Promise.all(named.map((data) => ask(idle, data)));
    expect(again.map(dataOf)).toEqual([first, first]);
    const { jobId: others } = dataOf(await ask(idle, { userIds: ['ada'] }));
    expect(others).not.toBe(first.jobId);
    const { signal } = new AbortController();
    await run(first.jobId, signal);
    await run(others, signal);
    const { jobId: later } = dataOf(await ask(idle, both));
    expect([first.jobId, others]).not.toContain(later);
  });
});
