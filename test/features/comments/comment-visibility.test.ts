import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadVisibility } from '../../../src/features/comments/visibility/load-visibility.ts';
import { unixSeconds } from '../../../src/platform/clock.ts';
import { dataOf, fresh, type Headers, type Loose } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { mailingKey } from '../../support/mail.ts';
import { ALL_TRIGGERS, readersCaughtUp } from '../../support/notifying-key.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startTestServer } from '../../support/server.ts';
import { type Subscription, subscribe } from '../../support/subscriptions.ts';
import {
  type Annotation,
  isInAudience,
  type Moment,
  maySee,
  mayView,
  mayViewFolder,
  type Scenario,
  scenarios,
  USERS,
} from '../../support/visibility-scenarios.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const passSeconds = (seconds: number) => {
  clock.time += seconds * 1000;
};

const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }, { clock });
const key = await mailingKey(server);
const processed = await startReceiver();
await key.call('/v2/workspace/notificationconfig/update', {
  useNotificationService: true,
  triggers: { comment: ALL_TRIGGERS },
});
await key.call('/v2/workspace/webhookconfig/update', {
  useWebhookService: true,
  webhookServiceConfig: { authToken: 'token', processedNotificationUrl: processed.url },
});

type Names = ReturnType<typeof namesOf>;

/** Ids that no other scenario uses. */
const namesOf = () => {
  const run = fresh('w');
  const name = (id: string) => `${id} ${run}`;
  return { name, organizationId: name('organization'), of: (at: number) => name(`a${at}`) };
};

/** Creates the scenario, and returns the users' credentials. */
async function build(scenario: Scenario, names: Names): Promise<Map<string, Headers>> {
  const { name, organizationId } = names;
  await organize(server, name('other'), {}, key.headers);
  const content = {
    folders: [
      { folderId: name('outer'), accessType: scenario.outerType },
      { folderId: name('inner'), accessType: scenario.innerType, parentFolderId: name('outer') },
    ],
    documents: [
      { documentId: name('filed'), folderId: name('inner') },
      { documentId: name('loose'), accessType: scenario.looseType },
    ],
  };
  await organize(server, organizationId, content, key.headers);
  const headers = new Map<string, Headers>();
  for (const userId of USERS) headers.set(userId, await addUser(scenario, names, userId));
  await key.call('/v1/organizations/usergroups/users/add', {
    organizationId,
    organizationUserGroupId: 'group',
    userIds: scenario.group.map(name),
  });
  passSeconds(100);
  return headers;
}

const TYPES: Record<string, string> = {
  ...{ organization: 'organization', other: 'organization', outer: 'folder', inner: 'folder' },
  ...{ filed: 'document', loose: 'document' },
};
const ENDS = { before: 50, between: 1_000, never: undefined };

async function addUser({ grants }: Scenario, { name, organizationId }: Names, userId: string) {
  const own = grants.filter((grant) => grant.userId === userId);
  const { token } = await key.call('/v2/auth/generate_token', {
    userId: name(userId),
    userProperties: { name: userId, email: `${userId}@example.com` },
    permissions: {
      resources: own.map(({ place, accessRole, end, context }) => ({
        type: TYPES[place],
        id: name(place),
        organizationId: place === 'other' ? name('other') : organizationId,
        accessRole,
        ...(ENDS[end] && { expiresAt: unixSeconds(clock) + ENDS[end] }),
        ...(context && { context: { access: context } }),
      })),
    },
  });
  return { authorization: `Bearer ${token}` };
}

const placeOf = ({ name, organizationId }: Names, document: string) => ({
  organizationId,
  documentId: name(document),
});

const visibilityOf = ({ name }: Names, { visibility }: Pick<Annotation, 'visibility'>) => {
  if (visibility.type === 'restricted') {
    return { type: visibility.type, userIds: visibility.userIds.map(name) };
  }
  return visibility.type === 'public'
    ? visibility
    : { type: visibility.type, organizationId: name(visibility.organization) };
};

const annotationOf = (names: Names, one: Annotation, at: number) => ({
  annotationId: names.of(at),
  visibility: visibilityOf(names, one),
  ...(one.context && { context: { access: one.context } }),
  ...(one.assignedTo && { assignedTo: { userId: names.name(one.assignedTo) } }),
  commentData: [
    {
      commentText: 'Moment',
      from: { userId: names.name(one.author) },
      taggedUserContacts: one.mentioned.map((userId) => ({ userId: names.name(userId) })),
      ...(one.mentionsGroup && { toOrganizationUserGroup: ['group'] }),
      ...(one.isByAgent && { agent: { agentId: 'agent', agentType: 'custom' } }),
      triggerNotification: true,
    },
  ],
});

/**
 * The marker is a comment that everybody sees. It comes last, so everything before it has arrived.
 */
async function settle(names: Names, streams: Map<string, Subscription>): Promise<void> {
  const marker = fresh('marker');
  for (const id of ['filed', 'loose']) {
    const annotationId = `${marker} ${id}`;
    dataOf(await key.annotations.add(placeOf(names, id), [{ annotationId }]));
  }
  await eventually(() => {
    for (const { items, failure } of streams.values()) {
      if (!failure) expect(items.at(-1)?.data.data.annotationId).toContain(marker);
    }
  });
}

/** The annotations that a subscriber of both documents holds after applying each change. */
function liveNumbers(names: Names, streams: Map<string, Subscription>, userId: string): number[] {
  const has = new Set<string>();
  for (const document of ['filed', 'loose']) {
    for (const { data } of streams.get(`${userId} ${document}`)?.items ?? []) {
      if (data.type === 'comment_annotation.delete') has.delete(data.data.annotationId);
      else has.add(data.data.annotationId);
    }
  }
  return numbersIn(names, [...has]);
}

const numbersIn = (names: Names, ids: unknown[]): number[] =>
  Array.from({ length: 6 }, (_, at) => at).filter((at) => ids.includes(names.of(at)));
const idsIn = (rows: Array<{ annotationId: string } | null>) =>
  rows.flatMap((row) => row?.annotationId ?? []);

/** Everything that a user can read of annotations. */
async function read(names: Names, scenario: Scenario, userId: string, own: Headers) {
  const { name, organizationId } = names;
  const ask = async (operation: string, data: object) => {
    const answer = await key.annotations.call(operation, { organizationId, ...data }, own);
    return answer.status === 403 ? undefined : dataOf(answer);
  };
  const inBoth = async (read: (documentId: string) => Promise<string[]>) =>
    numbersIn(names, (await Promise.all(['filed', 'loose'].map(name).map(read))).flat());
  const annotationIds = scenario.annotations.map((_, at) => names.of(at));
  const single = async (annotationId: string, at: number) => {
    const place = placeOf(names, scenario.annotations[at]?.document ?? '');
    const answer = await key.annotations.call('comments/get', { ...place, annotationId }, own);
    return answer.status === 200 ? [at] : [];
  };
  const inFolder = await ask('get', { folderId: name('inner') });
  const inbox = { organizationId, userId: name(userId) };
  const about = async (headers: Headers) => {
    const found = await server.ok('/v2/notifications/get', inbox, headers);
    const sources = found.map((one: Loose) => one.notificationSourceData.annotationId);
    return numbersIn(names, sources);
  };
  return {
    list: await inBoth(async (documentId) => idsIn((await ask('get', { documentId })) ?? [])),
    byIds: await inBoth(async (documentId) =>
      idsIn((await ask('get', { documentId, annotationIds })) ?? []),
    ),
    single: (await Promise.all(annotationIds.map(single))).flat(),
    folder: inFolder ? numbersIn(names, idsIn(inFolder)) : 'refused',
    inbox: await about(key.headers),
    ownInbox: await about(own),
  };
}

/** The annotations in the data of a user (4.16), which the user wrote or was mentioned in. */
async function dataOfUser(names: Names, userId: string, by: Headers): Promise<number[]> {
  const input = { organizationId: names.organizationId, userId: names.name(userId) };
  const { comments } = await server.ok('/v2/users/data/get', input, by);
  return numbersIn(names, idsIn(comments));
}

const numbersWhere = (scenario: Scenario, is: (one: Annotation) => boolean): number[] =>
  scenario.annotations.flatMap((one, at) => (is(one) ? [at] : []));

/**
 * Compares what the user sees with what the rule says. `notified` holds the annotations of
 * notifications, and `markers` is the number of markers in each document.
 */
async function compare(
  moment: Moment,
  names: Names,
  markers: number,
  userId: string,
  own: Headers,
  notified: number[],
) {
  const { scenario } = moment;
  const visible = numbersWhere(scenario, (one) => maySee(moment, one, userId));
  const inFolder = visible.filter((at) => scenario.annotations[at]?.document === 'filed');
  const inInbox = notified.filter((at) => visible.includes(at));
  expect(await read(names, scenario, userId, own)).toEqual({
    list: visible,
    byIds: visible,
    single: visible,
    folder: mayViewFolder(moment, userId) ? inFolder : 'refused',
    inbox: inInbox,
    ownInbox: inInbox,
  });
  const involved = await dataOfUser(names, userId, key.headers);
  const inData = involved.filter((at) => visible.includes(at));
  expect(await dataOfUser(names, userId, own)).toEqual(inData);
  const annotationIds = scenario.annotations.map((_, at) => names.of(at));
  const { isVisible } = await loadVisibility(
    server.app.services.db,
    { tenantId: key.tenantId, annotationIds, userIds: [names.name(userId)] },
    unixSeconds(clock),
  );
  const byRule = annotationIds.filter((id) => isVisible(id, names.name(userId)));
  expect(numbersIn(names, byRule)).toEqual(visible);
  for (const document of ['filed', 'loose'] as const) {
    const seen = scenario.annotations.filter(
      (one) => one.document === document && maySee(moment, one, userId),
    );
    // Counts include the markers, which everybody sees.
    const others = mayView(moment, document, userId) ? markers : 0;
    const unread = seen.filter(({ author }) => author !== userId).length + others;
    const place = placeOf(names, document);
    const counted = await key.annotations.call('count/get', place, own);
    const onBehalf = { ...place, userId: names.name(userId) };
    const byKey = await key.call('/v2/commentannotations/count/get', onBehalf);
    expect(byKey[place.documentId].unread).toBe(unread);
    if (mayView(moment, document, userId)) {
      const total = seen.length + others;
      expect(dataOf(counted)).toEqual({ [place.documentId]: { total, unread } });
    } else expect(counted.status).toBe(403);
  }
}

/** The users whom mails and processed webhooks name for each annotation. */
async function notifiedBy(names: Names, scenario: Scenario) {
  await readersCaughtUp(server, 'notifications', 'email');
  const mails = await eventually(async () => {
    const { rows } = await server.app.services.db.pool.query<Loose>(
      `SELECT m.data->>'userId' AS "userId", m.state, m.output->>'value' AS outcome,
         e.data->>'annotationId' AS "annotationId"
       FROM pgboss.job m JOIN events e
         ON e.tenant_id = m.data->>'tenantId' AND e.sequence = (m.data->>'sequence')::bigint
       WHERE m.name LIKE 'mails.%' AND e.tenant_id = $1`,
      [key.tenantId],
    );
    expect(rows.filter(({ state }) => state !== 'completed')).toEqual([]);
    return rows.filter(({ outcome }) => outcome === 'sent');
  });
  const ids = scenario.annotations.map((_, at) => names.of(at));
  const webhooks = await eventually(() => {
    const added = processed.received
      .filter(({ event }) => event.type === 'comment_annotation.add')
      .map(({ event }) => event.data);
    const ours = added.filter(({ annotationId }) => ids.includes(annotationId));
    expect(ours).toHaveLength(ids.length);
    return ours;
  });
  return (userId: string) => {
    const id = names.name(userId);
    const mailed = mails.filter((mail) => mail.userId === id);
    const named = webhooks.filter(({ notifyUsersByUserId }) => id in notifyUsersByUserId);
    return {
      mails: numbersIn(names, idsIn(mailed)),
      webhooks: numbersIn(names, idsIn(named)),
    };
  };
}

async function followBoth(names: Names, headers: Map<string, Headers>) {
  const streams = new Map<string, Subscription>();
  for (const [userId, own] of headers) {
    for (const document of ['filed', 'loose']) {
      const stream = await subscribe(server.url, own, 'comments', placeOf(names, document));
      streams.set(`${userId} ${document}`, stream);
    }
  }
  return streams;
}

async function addAll(names: Names, { annotations }: Scenario): Promise<void> {
  for (const document of ['filed', 'loose']) {
    const given = annotations.flatMap((one, at) =>
      one.document === document ? annotationOf(names, one, at) : [],
    );
    if (given.length > 0) dataOf(await key.annotations.add(placeOf(names, document), given));
  }
}

async function changeAll(names: Names, { annotations }: Scenario): Promise<void> {
  for (const [at, { later }] of annotations.entries()) {
    if (!later) continue;
    await key.call('/v2/commentannotations/update', {
      organizationId: names.organizationId,
      annotationIds: [names.of(at)],
      updatedData: {
        visibility: visibilityOf(names, later),
        context: later.context ? { access: later.context } : null,
      },
    });
  }
}

/** `notifications.explain` says for each user and annotation what the server did. */
async function expectExplained(
  names: Names,
  { annotations }: Scenario,
  isNotified: (userId: string) => (one: Annotation) => boolean,
): Promise<void> {
  for (const [at, one] of annotations.entries()) {
    for (const userId of USERS) {
      const { notified } = await key.call('/v2/notifications/explain', {
        ...placeOf(names, one.document),
        ...{ annotationId: names.of(at), userId: names.name(userId) },
      });
      expect({ at, userId, notified }).toEqual({ at, userId, notified: isNotified(userId)(one) });
    }
  }
}

async function checkWorld(scenario: Scenario): Promise<void> {
  const names = namesOf();
  const headers = await build(scenario, names);
  const streams = await followBoth(names, headers);
  const first = { scenario, isLate: false, isChanged: false };
  const isNotified = (userId: string) => (one: Annotation) =>
    isInAudience(scenario, one, userId) && maySee(first, one, userId);
  const check = async (moment: Moment, markers: number) => {
    for (const [userId, own] of headers) {
      const notified = numbersWhere(scenario, isNotified(userId));
      await compare(moment, names, markers, userId, own, notified);
      const live = numbersWhere(scenario, (one) => maySee(moment, one, userId));
      if (!moment.isLate) expect(liveNumbers(names, streams, userId)).toEqual(live);
    }
  };
  await addAll(names, scenario);
  await settle(names, streams);
  const notifiedOf = await notifiedBy(names, scenario);
  for (const userId of USERS) {
    const notified = numbersWhere(scenario, isNotified(userId));
    expect(notifiedOf(userId)).toEqual({ mails: notified, webhooks: notified });
  }
  await expectExplained(names, scenario, isNotified);
  await check(first, 1);
  await changeAll(names, scenario);
  await settle(names, streams);
  await check({ ...first, isChanged: true }, 2);
  for (const { close } of streams.values()) close();
  passSeconds(1_000);
  await check({ scenario, isLate: true, isChanged: true }, 2);
}

const mentioning = (
  visibility: Annotation['visibility'],
  context?: Annotation['context'],
): Annotation => ({
  ...{ document: 'loose', author: 'somebody', visibility, context, mentioned: ['u0'] },
  ...{ mentionsGroup: false, assignedTo: undefined, isByAgent: false, later: undefined },
});

/** A user would see these annotations by grants that have expired. */
const EXPIRED: Scenario = {
  ...{ outerType: 'public', innerType: undefined, looseType: 'public', group: ['u1'] },
  grants: (['organization', 'other', 'loose'] as const).map((place) => ({
    userId: 'u0',
    place,
    accessRole: 'viewer',
    end: 'before',
    context: { team: ['red'] },
  })),
  annotations: [
    mentioning({ type: 'organizationPrivate', organization: 'organization' }),
    mentioning({ type: 'organizationPrivate', organization: 'other' }),
    mentioning({ type: 'public' }, { team: ['red'] }),
  ],
};

it('lists, reads, counts, streams, notifications, mails and webhooks show an annotation to the same users', async () => {
  const examples: Array<[Scenario]> = [[EXPIRED]];
  const options = { examples, numRuns: 4, endOnFailure: true };
  await fc.assert(fc.asyncProperty(scenarios, checkWorld), options);
}, 300_000);
