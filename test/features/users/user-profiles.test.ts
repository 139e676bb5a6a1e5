import { describe, expect, it } from 'vitest';
import { annotationsOf, type Place, userHeaders } from '../../support/annotations.ts';
import { dataOf, fresh, type Loose } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { openEditor } from '../../support/editors.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestServer } from '../../support/server.ts';
import { subscribe } from '../../support/subscriptions.ts';

/** Users of a key see only parts of each other, and write only in their own name. */

const known = (userId: string, name: string) => ({
  userId,
  name,
  email: `${userId}@secret.example`,
  initial: name.charAt(0),
  photoUrl: `https://photos.example.com/${userId}.png`,
  phone: `secret-phone-of-${userId}`,
});
const ADA = known('ada', 'Ada');
const GRACE = known('grace', 'Grace');
/** A user of another organization. */
const ZOE = known('zoe', 'Zoe Stranger');

const shown = ({ userId, name, initial, photoUrl }: typeof ADA) => ({
  userId,
  name,
  initial,
  photoUrl,
});

const SECRETS = [GRACE, ZOE].flatMap(({ email, phone }) => [email, phone]);

const server = await startTestServer();
const annotations = annotationsOf(server);
const { ok } = server;

const organizationId = fresh('org');
const place = { organizationId, documentId: 'plan' };
await organize(server, organizationId, {
  documents: [{ documentId: 'plan', accessType: 'organizationPrivate' }, 'open'],
});
await ok('/v1/users/add', { organizationId, users: [ADA, GRACE] });
await ok('/v1/users/add', { organizationId: 'elsewhere', users: [ZOE] });
const config = { useNotificationService: true, triggers: { comment: { newlyAdded: true } } };
await ok('/v2/workspace/notificationconfig/update', config);
const ada = await userHeaders(server, 'ada', []);

/** Expects no field in it that only an API key may read. */
function expectNoSecrets(answer: unknown) {
  const text = JSON.stringify(answer);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

/** Adds an annotation with one comment, and returns it as an API key reads it. */
async function annotate(comment: object, more: object = {}, headers = ada, at: Place = place) {
  const annotationId = fresh('annotation');
  const annotation = { annotationId, commentData: [{ commentText: 'Hi', ...comment }], ...more };
  dataOf(await annotations.add(at, [annotation], {}, headers));
  return (await annotations.get({ ...at, annotationIds: [annotationId] }))[0];
}

/** An annotation with Grace in every field that can name a user. */
async function annotationOfGrace(): Promise<string> {
  const named = { taggedUserContacts: [GRACE, { userId: 'ada' }], to: [GRACE] };
  const comment = { from: GRACE, ...named, triggerNotification: true };
  const { annotationId } = await annotate(comment, { assignedTo: GRACE }, server.keyHeaders);
  const reaction = { ...place, annotationId, commentId: 1, icon: '👍', userId: 'grace' };
  await ok('/v2/commentannotations/reactions/add', reaction);
  return annotationId;
}

const comments = (operation: string, data: object, headers = ada) =>
  ok(`/v2/commentannotations/${operation}`, { ...place, ...data }, headers);

describe('the profile that users see of other users', () => {
  it('has id, name, initial and photo only in annotations, comments and reactions', async () => {
    const annotationId = await annotationOfGrace();
    const query = { ...place, annotationIds: [annotationId] };
    const [annotation] = await annotations.get(query, ada);
    const [comment] = annotation.comments;
    expect([annotation.from, annotation.assignedTo, comment.from]).toEqual(
      Array(3).fill(shown(GRACE)),
    );
    expect(comment.to).toEqual([shown(GRACE)]);
    expect(comment.taggedUserContacts[0]).toEqual(shown(GRACE));
    expect(comment.reactionAnnotations[0].fromUsers[0].from).toEqual(shown(GRACE));
    expect(annotation.subscribedUsers.grace.user).toEqual(shown(GRACE));
    expectNoSecrets(annotation);
    expect(await comments('comments/get', { annotationId })).toEqual(annotation.comments);

    const [whole] = await annotations.get(query);
    expect(whole).toMatchObject({ from: GRACE, assignedTo: GRACE, comments: [{ from: GRACE }] });
    expect(whole.subscribedUsers.grace.user).toMatchObject(GRACE);
  });

  it("has the same fields in lists of users, and one's own profile is complete", async () => {
    const users = await ok('/v2/users/get', { organizationId }, ada);
    expect(users).toEqual([{ ...ADA, accessRole: 'editor' }, shown(GRACE)]);
    const whole = { ...GRACE, accessRole: 'editor' };
    expect(await ok('/v2/users/get', { organizationId })).toContainEqual(whole);
  });

  it('has the same fields in recordings and presence', async () => {
    const url = 'https://media.example.com/a.mp4';
    await ok('/v2/recordings/add', { ...place, recordings: [{ url, from: GRACE }] });
    const [recording] = await ok('/v2/recordings/get', place, ada);
    expect(recording.from).toEqual(shown(GRACE));
    expect((await ok('/v2/recordings/get', place))[0].from).toEqual(GRACE);
    await ok('/v2/presence/update', { ...place, users: [{ ...GRACE, status: 'away' }, ADA] });
    expect(await ok('/v2/presence/get', place, ada)).toEqual([
      { userId: 'ada', name: 'Ada', email: ADA.email, status: 'online' },
      { userId: 'grace', name: 'Grace', status: 'away' },
    ]);
    expect((await ok('/v2/presence/get', place))[1].email).toBe(GRACE.email);
  });

  it('has the same fields in notifications and user data', async () => {
    const nameless = { userId: 'nn', email: GRACE.email };
    await ok('/v2/notifications/add', {
      ...place,
      actionUser: GRACE,
      notifyUsers: [{ userId: 'ada' }, GRACE],
      displayHeadlineMessageTemplate: '{actionUser} and {other}',
      displayHeadlineMessageTemplateData: { other: nameless },
      displayBodyMessage: 'Look',
    });
    await annotationOfGrace();
    const query = { organizationId, userId: 'ada' };
    await eventually(async () => {
      const sources = (await ok('/v2/notifications/get', query)).map(
        (one: Loose) => one.notificationSource,
      );
      expect(sources).toEqual(expect.arrayContaining(['custom', 'comment']));
    });
    const inbox = await ok('/v2/notifications/get', query, ada);
    expectNoSecrets(inbox);
    expect(inbox).toContainEqual(
      expect.objectContaining({
        actionUser: shown(GRACE),
        displayHeadlineMessage: 'Grace and nn',
        displayHeadlineMessageTemplateData: { other: { userId: 'nn' } },
      }),
    );
    const data = await ok('/v2/users/data/get', query, ada);
    expect(data.comments.length).toBeGreaterThan(0);
    expect(data.notifications.length).toBeGreaterThan(0);
    expectNoSecrets(data);
    expect(JSON.stringify(await ok('/v2/users/data/get', query))).toContain(GRACE.email);
  });

  it('has the same fields in subscriptions, while API keys get complete profiles', async () => {
    const { url } = server;
    const changes = await subscribe(url, ada, 'comments', place);
    const presence = await subscribe(url, ada, 'presence', place);
    const notifications = await subscribe(url, ada, 'notifications', { organizationId });
    const whole = await subscribe(url, server.keyHeaders, 'comments', place);
    const annotationId = await annotationOfGrace();
    const change = { annotationIds: [annotationId], updatedData: { assignedTo: ZOE } };
    await comments('update', change, server.keyHeaders);
    await ok('/v2/presence/update', { ...place, users: [{ ...GRACE, status: 'busy' }] });
    await eventually(() => {
      expect(changes.types()).toContain('comment_annotation.assign');
      expect(presence.types()).toContain('presence.update');
      expect(notifications.types()).toContain('notification.add');
      expect(JSON.stringify(whole.items)).toContain(ZOE.email);
    });
    expectNoSecrets([changes.items, presence.items, notifications.items]);
    const [added] = changes.items;
    expect(added?.data.data.actionUser).toEqual(shown(GRACE));
  });

  it('has the same fields in the awareness of editors', async () => {
    const token = ada.authorization?.slice('Bearer '.length) ?? '';
    const name = `${organizationId}/plan/body`;
    const editor = await openEditor({ url: server.url, name, token });
    await ok('/v2/presence/update', { ...place, users: [{ ...GRACE, status: 'typing' }] });
    const states = () => [...(editor.provider.awareness?.getStates().values() ?? [])];
    await eventually(() =>
      expect(states()).toContainEqual({ user: { id: 'grace', name: 'Grace' }, status: 'typing' }),
    );
    expectNoSecrets(states());
  });
});

describe('a user whom a user token names', () => {
  it('is completed from the stored profile if they have a role, whatever the caller says of them', async () => {
    const fake = { userId: 'grace', name: 'The boss', email: 'evil@example.com', isAdmin: true };
    const comment = { taggedUserContacts: [fake], to: [fake] };
    const added = await annotate(comment, { assignedTo: fake });
    expect(added.assignedTo).toEqual(GRACE);
    expect(added.comments[0].taggedUserContacts).toEqual([GRACE]);
    expect(added.comments[0].to).toEqual([GRACE]);
    expect(added.subscribedUsers.grace.user).toEqual(GRACE);
  });

  it.each(['plan', 'open'])('remains an id if they are a stranger: %s', async (documentId) => {
    const fake = { userId: 'zoe', name: 'Guess', email: 'guess@example.com' };
    const at = { organizationId, documentId };
    const named = { taggedUserContacts: [fake] };
    const added = await annotate(named, { assignedTo: fake }, ada, at);
    expect(added.assignedTo).toEqual({ userId: 'zoe' });
    expect(added.comments[0].taggedUserContacts).toEqual([{ userId: 'zoe' }]);
    const { annotationId } = added;
    const target = { ...at, annotationId };
    await comments('comments/add', { ...target, commentData: [named] });
    await comments('comments/update', { ...target, commentData: [{ commentId: 1, ...named }] });
    const updatedData = { assignedTo: fake };
    await comments('update', { ...at, annotationIds: [annotationId], updatedData });
    const everything = await annotations.get({ ...at, annotationIds: [annotationId] });
    expect(JSON.stringify(everything)).not.toMatch(/Zoe|Guess|secret-phone-of-zoe/);
    expect(await ok('/v2/users/get', { organizationId })).toHaveLength(2);
  });

  it('keeps the fields that an API key gave earlier', async () => {
    const comment = { from: GRACE, taggedUserContacts: [ZOE] };
    const { annotationId } = await annotate(comment, {}, server.keyHeaders);
    const commentData = [{ taggedUserContacts: [{ userId: 'zoe' }] }];
    await comments('comments/add', { annotationId, commentData });
    const [annotation] = await annotations.get({ ...place, annotationIds: [annotationId] });
    expect(annotation.subscribedUsers.zoe.user).toMatchObject(ZOE);
  });
});

describe('the identity of a user token', () => {
  const mask = { userId: 'grace', name: 'Grace', email: GRACE.email };
  const agent = { agentId: 'reviewer', agentType: 'built-in', name: 'The reviewer' };
  it('is forced in comments, reactions, subscriptions and resolutions', async () => {
    const added = await annotate({ from: mask });
    expect(added.comments[0].from).toEqual(ADA);
    const { annotationId } = added;
    const target = { annotationId, userId: 'grace' };
    await comments('reactions/add', { ...target, commentId: 1, icon: '👍' });
    await comments('subscribe', target);
    await comments('read', target);
    const updatedData = { status: { id: 'RESOLVED' }, resolvedByUserId: 'grace' };
    await comments('update', { annotationIds: [annotationId], updatedData });
    const [now] = await annotations.get({ ...place, annotationIds: [annotationId] });
    expect(now.resolvedByUserId).toBe('ada');
    expect(Object.keys(now.subscribedUsers)).toEqual(['ada']);
    const [{ fromUsers }] = now.comments[0].reactionAnnotations;
    expect(fromUsers).toEqual([{ lastUpdated: expect.any(Number), from: ADA }]);
    const published = await eventsOf(server, organizationId, ['comment_annotation.status_change']);
    expect(published.at(-1)?.data.actionUser).toEqual(ADA);
  });

  it('excludes every agent that the token was not made for', async () => {
    const rest = await annotate({ agent });
    expect([rest.agent, rest.comments[0].agent]).toEqual([undefined, undefined]);
    const { annotationId } = rest;
    const comment = { commentText: 'Boop', agent };
    await comments('comments/update', {
      annotationId,
      commentData: [{ ...comment, commentId: 1 }],
    });
    await comments('comments/add', { annotationId, commentData: [comment] });
    const found = await annotations.ids({ ...place, agentId: 'reviewer' });
    expect(found).not.toContain(annotationId);
    const [now] = await annotations.get({ ...place, annotationIds: [annotationId] });
    expect(JSON.stringify(now)).not.toContain('reviewer');
  });

  it('includes the agent that the token was made for, and no other', async () => {
    const { token } = await ok('/v2/auth/generate_token', { userId: 'ada', agent });
    const headers = { authorization: `Bearer ${token}` };
    const added = await annotate({ agent: { agentId: 'ceo', name: 'The boss' } }, {}, headers);
    expect(added).toMatchObject({ from: ADA, agent, comments: [{ agent, from: ADA }] });
    const { annotationId } = added;
    expect(await annotations.ids({ ...place, agentId: 'reviewer' })).toEqual([annotationId]);
    const run = { agentId: agent.agentId, executionId: 'run-7', name: 'The boss' };
    const commentData = [{ commentText: 'Again', agent: run }];
    await comments('comments/add', { annotationId, commentData }, headers);
    const [, reply] = await comments('comments/get', { annotationId });
    expect(reply.agent).toEqual({ executionId: 'run-7', ...agent });
  });

  it('is presented from the stored profile in recordings and presence', async () => {
    const url = 'https://media.example.com/a.mp4';
    for (const from of [{ ...mask, userId: 'ada' }, mask, undefined]) {
      const recordingId = fresh('recording');
      await ok('/v2/recordings/add', { ...place, recordings: [{ recordingId, url, from }] }, ada);
      const query = { ...place, recordingIds: [recordingId] };
      expect((await ok('/v2/recordings/get', query))[0].from).toEqual(ADA);
    }
    const at = { organizationId, documentId: 'open' };
    const fake = { ...mask, userId: 'ada', status: 'online' };
    await ok('/v2/presence/update', { ...at, users: [fake] }, ada);
    const shownThere = { userId: 'ada', name: 'Ada', email: ADA.email, status: 'online' };
    expect(await ok('/v2/presence/get', at)).toEqual([shownThere]);
  });
});

it('a write without the required role is explained to viewers', async () => {
  const resources = [{ type: 'document', id: 'plan', organizationId, accessRole: 'viewer' }];
  const viewer = await userHeaders(server, 'viewer', resources);
  const content = { ...place, editorId: 'body', type: 'text', data: 'Hi' };
  const refused = await server.call('/v2/crdt/update', content, viewer);
  expect(refused.body.error).toMatchObject({
    status: 'PERMISSION_DENIED',
    message: 'You may read this document, but not write to it.',
    details: { reason: 'viewer_may_not_write' },
  });
});
