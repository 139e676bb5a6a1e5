import { beforeAll, describe, expect, it } from 'vitest';
import { annotationsOf, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh } from '../../support/answers.ts';
import { openEditor } from '../../support/editors.ts';
import { eventsOf } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { testServer } from '../../support/server.ts';
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

const server = testServer();
const annotations = annotationsOf(server);
let organizationId: string;
let place: { organizationId: string; documentId: string };
let ada: Record<string, string>;

beforeAll(async () => {
  organizationId = fresh('org');
  place = { organizationId, documentId: 'plan' };
  await ok('/v2/organizations/documents/add', {
    organizationId,
    createOrganization: true,
    documents: [
      { documentId: 'plan', accessType: 'organizationPrivate' },
      { documentId: 'open', accessType: 'public' },
    ],
  });
  await ok('/v1/users/add', { organizationId, users: [ADA, GRACE] });
  await ok('/v1/users/add', { organizationId: 'elsewhere', users: [ZOE] });
  const config = { useNotificationService: true, triggers: { comment: { newlyAdded: true } } };
  await ok('/v2/workspace/notificationconfig/update', config);
  ada = await userHeaders(server, 'ada', []);
});

const ok = async (path: string, data: object, headers?: Record<string, string>) =>
  dataOf(await server.call(path, data, headers));

/** Expects no field in it that only an API key may read. */
function expectNoSecrets(answer: unknown) {
  const text = JSON.stringify(answer);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}

/** An annotation with Grace in every field that can name a user. */
async function annotationOfGrace(at: object = place): Promise<string> {
  const annotationId = fresh('annotation');
  const comment = {
    from: GRACE,
    commentText: 'Look',
    taggedUserContacts: [GRACE, { userId: 'ada' }],
    to: [GRACE],
    triggerNotification: true,
  };
  await ok('/v2/commentannotations/add', {
    ...at,
    commentAnnotations: [{ annotationId, assignedTo: GRACE, commentData: [comment] }],
  });
  const reaction = { ...at, annotationId, commentId: 1, icon: '👍', userId: 'grace' };
  await ok('/v2/commentannotations/reactions/add', reaction);
  return annotationId;
}

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
    const comments = await ok(
      '/v2/commentannotations/comments/get',
      { ...place, annotationId },
      ada,
    );
    expect(comments).toEqual(annotation.comments);

    const [whole] = await annotations.get(query);
    expect(whole).toMatchObject({ from: GRACE, assignedTo: GRACE, comments: [{ from: GRACE }] });
    expect(whole.subscribedUsers.grace.user).toMatchObject(GRACE);
  });

  it("has the same fields in lists of users, and one's own profile is complete", async () => {
    const users = await ok('/v2/users/get', { organizationId }, ada);
    expect(users).toEqual([{ ...ADA, accessRole: 'editor' }, shown(GRACE)]);
    expect(await ok('/v2/users/get', { organizationId })).toContainEqual({
      ...GRACE,
      accessRole: 'editor',
    });
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
      const inbox: Array<{ notificationSource: string }> = await ok('/v2/notifications/get', query);
      const sources = inbox.map(({ notificationSource }) => notificationSource);
      expect(sources).toEqual(expect.arrayContaining(['custom', 'comment']));
    });
    const inbox: Array<Record<string, unknown>> = await ok('/v2/notifications/get', query, ada);
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
    const streams = [
      await subscribe(url, ada, 'comments', place),
      await subscribe(url, ada, 'presence', place),
      await subscribe(url, ada, 'notifications', { organizationId }),
    ];
    const whole = await subscribe(url, server.keyHeaders, 'comments', place);
    const annotationId = await annotationOfGrace();
    const updatedData = { assignedTo: ZOE };
    await ok('/v2/commentannotations/update', {
      ...place,
      annotationIds: [annotationId],
      updatedData,
    });
    await ok('/v2/presence/update', { ...place, users: [{ ...GRACE, status: 'busy' }] });
    await eventually(() => {
      expect(streams[0]?.types()).toContain('comment_annotation.assign');
      expect(streams[1]?.types()).toContain('presence.update');
      expect(streams[2]?.types()).toContain('notification.add');
      expect(JSON.stringify(whole.items)).toContain(ZOE.email);
    });
    for (const { items } of streams) expectNoSecrets(items);
    const [added] = streams[0]?.items ?? [];
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
  const commentWith = (more: object) => ({ commentData: [{ commentText: 'Hi', ...more }] });
  const addAs = async (annotation: object, at: object = place) => {
    const annotationId = fresh('annotation');
    const commentAnnotations = [{ annotationId, ...annotation }];
    await ok('/v2/commentannotations/add', { ...at, commentAnnotations }, ada);
    const [added] = await annotations.get({ ...at, annotationIds: [annotationId] });
    return added;
  };

  it('is completed from the stored profile if they have a role, whatever the caller says of them', async () => {
    const fake = { userId: 'grace', name: 'The boss', email: 'evil@example.com', isAdmin: true };
    const added = await addAs({
      ...commentWith({ taggedUserContacts: [fake], to: [fake] }),
      assignedTo: fake,
    });
    expect(added.assignedTo).toEqual(GRACE);
    expect(added.comments[0].taggedUserContacts).toEqual([GRACE]);
    expect(added.comments[0].to).toEqual([GRACE]);
    expect(added.subscribedUsers.grace.user).toEqual(GRACE);
  });

  it.each(['plan', 'open'])('remains an id if they are a stranger: %s', async (documentId) => {
    const fake = { userId: 'zoe', name: 'Guess', email: 'guess@example.com' };
    const at = { organizationId, documentId };
    const added = await addAs(
      { ...commentWith({ taggedUserContacts: [fake] }), assignedTo: fake },
      at,
    );
    expect(added.assignedTo).toEqual({ userId: 'zoe' });
    expect(added.comments[0].taggedUserContacts).toEqual([{ userId: 'zoe' }]);
    const { annotationId } = added;
    const target = { ...at, annotationId };
    const comment = { ...target, commentData: [{ taggedUserContacts: [fake] }] };
    await ok('/v2/commentannotations/comments/add', comment, ada);
    const change = { ...target, commentData: [{ commentId: 1, taggedUserContacts: [fake] }] };
    await ok('/v2/commentannotations/comments/update', change, ada);
    const update = { ...at, annotationIds: [annotationId], updatedData: { assignedTo: fake } };
    await ok('/v2/commentannotations/update', update, ada);
    const everything = await annotations.get({ ...at, annotationIds: [annotationId] });
    expect(JSON.stringify(everything)).not.toMatch(/Zoe|Guess|secret-phone-of-zoe/);
    expect(await ok('/v2/users/get', { organizationId })).toHaveLength(2);
  });

  it('keeps the fields that an API key gave earlier', async () => {
    const annotationId = fresh('annotation');
    const commentData = [{ from: GRACE, commentText: 'Zoe?', taggedUserContacts: [ZOE] }];
    await ok('/v2/commentannotations/add', {
      ...place,
      commentAnnotations: [{ annotationId, commentData }],
    });
    const reply = { commentText: 'Yes', taggedUserContacts: [{ userId: 'zoe' }] };
    const target = { ...place, annotationId };
    await ok('/v2/commentannotations/comments/add', { ...target, commentData: [reply] }, ada);
    const [annotation] = await annotations.get({ ...place, annotationIds: [annotationId] });
    expect(annotation.subscribedUsers.zoe.user).toMatchObject(ZOE);
  });
});

describe('the identity of a user token', () => {
  const mask = { userId: 'grace', name: 'Grace', email: GRACE.email };
  const agent = { agentId: 'reviewer', agentType: 'built-in', name: 'The reviewer' };
  const generate = async (data: object) => {
    const { token } = await ok('/v2/auth/generate_token', data);
    return { authorization: `Bearer ${token}` };
  };
  const addAs = async (headers: Record<string, string>, comment: object, id = fresh('a')) => {
    const commentAnnotations = [{ annotationId: id, commentData: [comment] }];
    await ok('/v2/commentannotations/add', { ...place, commentAnnotations }, headers);
    const [added] = await annotations.get({ ...place, annotationIds: [id] });
    return added;
  };

  it('is forced in comments, reactions, subscriptions and resolutions', async () => {
    const { annotationId, comments } = await addAs(ada, { commentText: 'Me', from: mask });
    expect(comments[0].from).toEqual(ADA);
    const target = { ...place, annotationId };
    const reaction = { ...target, commentId: 1, icon: '👍', userId: 'grace' };
    await ok('/v2/commentannotations/reactions/add', reaction, ada);
    await ok('/v2/commentannotations/subscribe', { ...target, userId: 'grace' }, ada);
    await ok('/v2/commentannotations/read', { ...target, userId: 'grace' }, ada);
    const updatedData = { status: { id: 'RESOLVED' }, resolvedByUserId: 'grace' };
    await ok(
      '/v2/commentannotations/update',
      {
        ...place,
        annotationIds: [annotationId],
        updatedData,
      },
      ada,
    );
    const [now] = await annotations.get({ ...place, annotationIds: [annotationId] });
    expect(now.resolvedByUserId).toBe('ada');
    expect(Object.keys(now.subscribedUsers)).toEqual(['ada']);
    const [{ fromUsers }] = now.comments[0].reactionAnnotations;
    expect(fromUsers).toEqual([{ lastUpdated: expect.any(Number), from: ADA }]);
    const published = await eventsOf(server, organizationId, ['comment_annotation.status_change']);
    expect(published.at(-1)?.data.actionUser).toEqual(ADA);
  });

  it('excludes every agent that the token was not made for', async () => {
    const { comments, ...rest } = await addAs(ada, { commentText: 'Beep', agent });
    expect([rest.agent, comments[0].agent]).toEqual([undefined, undefined]);
    const target = { ...place, annotationId: rest.annotationId };
    const write = (operation: string, comment: object) =>
      ok(
        `/v2/commentannotations/comments/${operation}`,
        { ...target, commentData: [comment] },
        ada,
      );
    await write('update', { commentId: 1, commentText: 'Boop', agent });
    await write('add', { commentText: 'Beep', agent });
    const found = await annotations.ids({ ...place, agentId: 'reviewer' });
    expect(found).not.toContain(rest.annotationId);
    const [now] = await annotations.get({ ...place, annotationIds: [rest.annotationId] });
    expect(JSON.stringify(now)).not.toContain('reviewer');
  });

  it('includes the agent that the token was made for, and no other', async () => {
    const headers = await generate({ userId: 'ada', agent });
    const other = { agentId: 'ceo', name: 'The boss' };
    const added = await addAs(headers, { commentText: 'Beep', agent: other });
    expect(added).toMatchObject({ from: ADA, agent, comments: [{ agent, from: ADA }] });
    expect(await annotations.ids({ ...place, agentId: 'reviewer' })).toEqual([added.annotationId]);
    const run = { agentId: agent.agentId, executionId: 'run-7', name: 'The boss' };
    const reply = { commentText: 'Again', agent: run };
    const target = { ...place, annotationId: added.annotationId };
    await ok('/v2/commentannotations/comments/add', { ...target, commentData: [reply] }, headers);
    const comments = await ok('/v2/commentannotations/comments/get', target);
    expect(comments[1].agent).toEqual({ executionId: 'run-7', ...agent });
  });

  it('is presented from the stored profile in recordings', async () => {
    const url = 'https://media.example.com/a.mp4';
    for (const from of [{ ...mask, userId: 'ada' }, mask, undefined]) {
      const recordingId = fresh('recording');
      await ok('/v2/recordings/add', { ...place, recordings: [{ recordingId, url, from }] }, ada);
      const query = { ...place, recordingIds: [recordingId] };
      expect((await ok('/v2/recordings/get', query))[0].from).toEqual(ADA);
    }
  });

  it('is presented from the stored profile in presence, and nobody else is', async () => {
    const at = { organizationId, documentId: 'open' };
    const fake = { userId: 'ada', name: 'Grace', email: GRACE.email, status: 'online' };
    await ok('/v2/presence/update', { ...at, users: [fake] }, ada);
    expect(await ok('/v2/presence/get', at)).toEqual([
      { userId: 'ada', name: 'Ada', email: ADA.email, status: 'online' },
    ]);
    const others = [{ ...fake, userId: 'grace' }];
    const refused = await server.call('/v2/presence/update', { ...at, users: others }, ada);
    expect(failureOf(refused)).toMatchObject({ status: 'PERMISSION_DENIED' });
  });
});

describe('a write without the required role', () => {
  const recordings = [{ url: 'https://media.example.com/a.mp4' }];
  const commentData = [{ commentText: 'Hi' }];
  const content = { editorId: 'body', type: 'text', data: 'Hi' };
  const WRITES: Array<[string, (annotationId: string) => object]> = [
    ['/v2/commentannotations/add', () => ({ commentAnnotations: [{ commentData }] })],
    ['/v2/commentannotations/delete', (id) => ({ annotationIds: [id] })],
    ['/v2/commentannotations/comments/add', (annotationId) => ({ annotationId, commentData })],
    ['/v2/recordings/add', () => ({ recordings })],
    ['/v2/crdt/update', () => content],
  ];

  it.each(WRITES)(
    'is explained to viewers, and looks like a missing resource to strangers: %s',
    async (path, dataFor) => {
      const resources = [{ type: 'document', id: 'plan', organizationId, accessRole: 'viewer' }];
      const viewer = await userHeaders(server, 'viewer', resources);
      const stranger = await userHeaders(server, 'zoe', []);
      const data = dataFor(await annotationOfGrace());
      const refused = await server.call(path, { ...place, ...data }, viewer);
      expect(refused.body.error).toMatchObject({
        status: 'PERMISSION_DENIED',
        message: 'You may read this document, but not write to it.',
        details: { reason: 'viewer_may_not_write' },
      });
      const hidden = await server.call(path, { ...place, ...data }, stranger);
      const nowhere = { ...place, documentId: 'nowhere' };
      const missing = await server.call(path, { ...nowhere, ...data }, stranger);
      expect(hidden.body.error).toMatchObject({ status: 'PERMISSION_DENIED' });
      expect(hidden.body.error.details).toBeUndefined();
      expect(missing.body).toEqual(hidden.body);
    },
  );
});
