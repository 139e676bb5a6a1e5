import { compactLog } from '../../src/features/crdt/compact-log.ts';
import type { Headers } from './answers.ts';
import { attachmentsOf } from './attachments.ts';
import type { TestServer } from './server.ts';

export interface UserTraces {
  organizationId: string;
  person: { userId: string; name: string; email: string };
  /** The headers of the user's token. */
  token: Headers;
}

/**
 * Writes to every field that can name a user, as the user and about the user, in one organization.
 */
export async function leaveTraces(
  server: TestServer,
  headers: Headers,
  organizationId: string,
  person: UserTraces['person'],
): Promise<UserTraces> {
  const { userId } = person;
  const post = (path: string, data: object, own: Headers = headers) =>
    server.ok(path, { organizationId, ...data }, own);
  const onPlan = { documentId: 'plan' };
  const bob = { userId: 'bob', name: 'Bob' };

  const activityServiceConfig = {
    isEnabled: true,
    triggers: { user: { add: true, delete: true }, notification: { add: true } },
  };
  await post('/v2/workspace/activityconfig/update', { activityServiceConfig });
  await post('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
  await post('/v2/organizations/documents/add', {
    createOrganization: true,
    documents: [{ documentId: 'plan', owner: { ...person, id: userId } }],
  });
  await post('/v2/organizations/update', {
    organizations: [{ organizationId, contactUserId: userId }],
  });
  await post('/v2/organizations/folders/add', {
    folders: [{ folderId: 'plans', createdBy: userId }],
  });
  await post('/v1/users/add', {
    users: [
      { ...person, title: `Boss of ${person.name}` },
      { ...bob, manager: { userId } },
    ],
  });
  await post('/v1/users/add', { ...onPlan, users: [person] });
  await post('/v2/organizations/usergroups/add', {
    organizationUserGroups: [{ groupId: 'staff' }],
  });
  await post('/v1/organizations/usergroups/users/add', {
    organizationUserGroupId: 'staff',
    userIds: [userId],
  });
  const { token: bearer } = await post('/v2/auth/generate_token', { userId });
  const token = { authorization: `Bearer ${bearer}` };

  const annotate = (annotationId: string, more: object, from: object = bob) =>
    post('/v2/commentannotations/add', {
      ...onPlan,
      commentAnnotations: [
        {
          annotationId: `${organizationId}-${annotationId}`,
          commentData: [{ commentText: 'Hi', from }],
          ...more,
        },
      ],
    });
  await annotate('own', { commentData: [{ commentText: 'I wrote this', from: person }] });
  await annotate('assigned', { assignedTo: person, metadata: { watcherUserIds: [userId, 'bob'] } });
  await annotate('private', { visibility: { type: 'restricted', userIds: [userId, 'bob'] } });
  await annotate('mention', {
    commentData: [
      {
        commentText: `Ask @${person.name}, please: ${person.email}. Theadamant stays.`,
        commentHtml: `<p><span data-type="mention" data-id="${userId}">@${person.name}</span> <b>adamant</b></p>`,
        taggedUserContacts: [person],
        from: bob,
      },
    ],
  });
  const inMention = { ...onPlan, annotationId: `${organizationId}-mention` };
  await post(
    '/v2/commentannotations/reactions/add',
    { ...inMention, commentId: 1, icon: 'heart' },
    token,
  );
  await post(
    '/v2/commentannotations/comments/add',
    { ...inMention, commentData: [{ commentText: 'Yes' }] },
    token,
  );
  await post('/v2/commentannotations/unsubscribe', inMention, token);
  await post('/v2/commentannotations/update', {
    ...onPlan,
    annotationIds: [`${organizationId}-own`],
    updatedData: { status: { id: 'RESOLVED' }, resolvedByUserId: userId },
  });

  const url = 'https://media.example.com/a.mp4';
  await post('/v2/recordings/add', {
    ...onPlan,
    recordings: [
      { recordingId: 'mine', url, from: person },
      { recordingId: 'theirs', url, from: bob, participants: [person, bob] },
    ],
  });
  const name = `CV of ${person.name.replaceAll(/[^\w]+/g, ' ').trim()}.txt`;
  const place = { organizationId, ...onPlan };
  await attachmentsOf(server).upload(place, undefined, { userId, name }, headers);
  const message = {
    ...onPlan,
    displayHeadlineMessageTemplate: '{actionUser} told {recipientUser} of {who}',
    displayHeadlineMessageTemplateData: { who: person.name, boss: person },
    displayBodyMessage: `${person.name} is right.`,
  };
  await post('/v2/notifications/add', {
    ...message,
    notificationId: 'alone',
    actionUser: bob,
    notifyUsers: [person],
  });
  await post('/v2/notifications/add', {
    ...message,
    notificationId: 'both',
    actionUser: person,
    notifyUsers: [person, bob],
  });
  await post('/v2/notifications/config/set', { userId, config: { inbox: 'MINE' } });
  await post('/v2/presence/update', { ...onPlan, users: [person, bob] });
  await server.app.services.db.pool.query(
    `INSERT INTO presence_connections (tenant_id, organization_id, document_id, user_id, process_id)
     VALUES ($1, $2, 'plan', $3, 'gone')`,
    [headers['x-svc-api-key'], organizationId, userId],
  );
  const editor = { ...onPlan, editorId: 'body', type: 'text' };
  await post('/v2/crdt/add', { ...editor, data: 'one' }, token);
  // Compaction moves the first edit into the history.
  const tenantId = headers['x-svc-api-key'] ?? '';
  await compactLog(server.app.services, { tenantId, ...place, editorId: 'body' });
  await post('/v2/crdt/update', { ...editor, data: 'one two' }, token);
  await server.app.services.db.pool.query(
    `INSERT INTO crdt_clients (tenant_id, log_id, client_id, user_id)
     SELECT tenant_id, log_id, 1, $3 FROM crdt_documents
     WHERE tenant_id = $1 AND organization_id = $2`,
    [headers['x-svc-api-key'], organizationId, userId],
  );
  const judgment = { query: 'A new logo', decision: 'approved', reviewer: person };
  const judgments = [{ ...judgment, organizationId }];
  await server.ok('/v2/memory/judgments/add', { judgments }, headers);
  const version = { ...onPlan, editorId: 'body', name: `As ${person.name} left it` };
  await post('/v2/crdt/versions/create', version, token);
  const paid = { featureType: 'invoice', actionType: 'invoice.pay' };
  await post('/v2/activities/add', {
    activities: [
      { ...paid, activityId: 'paid', actionUser: person, data: { sum: 5 } },
      { ...paid, activityId: 'sent', actionUser: bob, data: { sum: 7 } },
    ],
  });
  const seen = { 'idempotency-key': `${organizationId}-seen` };
  await post(
    '/v2/commentannotations/read',
    { ...onPlan, annotationId: `${organizationId}-own` },
    { ...token, ...seen },
  );
  const update = (who: string, key: object) =>
    post('/v2/users/update', { users: [{ userId: who, team: 'blue' }] }, { ...headers, ...key });
  await update(userId, seen);
  await update('bob', { 'idempotency-key': `${organizationId}-bob` });
  return { organizationId, person, token };
}
