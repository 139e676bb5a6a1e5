import { describe, expect, it } from 'vitest';
import type { Headers } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { NOTIFICATION } from '../../support/notifications.ts';
import { respondWith, startReceiver } from '../../support/receiver.ts';
import { createTenant, testServer } from '../../support/server.ts';
import { aroundStatements } from '../../support/statements.ts';
import { deliveriesOf, PATHS, setAdvancedWebhooks } from '../../support/webhooks.ts';

let now = Date.UTC(2027, 0, 5, 9);
const clock = { now: () => now };
/** Whether PostgreSQL cancels the statement that reads who takes part in a thread, as one that takes too long. */
let areParticipantsSlow = false;
const CANCELED = `DO $$ BEGIN RAISE query_canceled; END $$`;
const server = testServer(
  { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
  {
    clock,
    onDatabase: ({ pool }) =>
      aroundStatements(pool, () => (text, query, args) => {
        const isSlow = areParticipantsSlow && text.includes('AS "readMs"');
        return isSlow ? query(CANCELED, ...args.slice(1)) : query(...args);
      }),
  },
);

const BOB = { userId: 'bob', name: 'Bob', email: 'bob@example.com' };
const place = { organizationId: 'acme', documentId: 'plan' };

async function scene(authToken = 'tok€n') {
  const headers = await createTenant(server);
  const [raw, processed] = [await startReceiver(), await startReceiver()];
  const urls = { rawNotificationUrl: raw.url, processedNotificationUrl: processed.url };
  const webhookServiceConfig = { authToken, ...urls };
  await configure(headers, { useWebhookService: true, webhookServiceConfig });
  return { headers, raw, processed };
}

const call = (path: string, data: object, headers: Headers) => server.ok(path, data, headers);
const configure = (headers: Headers, data: object) =>
  call('/v2/workspace/webhookconfig/update', data, headers);
const typesOf = ({ received }: { received: Array<{ event: { type: string } }> }) =>
  received.map(({ event }) => event.type).sort();

async function addMention(headers: Headers) {
  const ada = { userId: 'ada', name: 'Ada' };
  await call('/v1/users/add', { ...place, users: [ada, BOB] }, headers);
  const comment = {
    commentText: 'Hello @Bob',
    from: ada,
    taggedUserContacts: [{ userId: 'bob', email: 'old@example.com' }],
    triggerNotification: true,
  };
  const annotation = { annotationId: 'a1', commentData: [comment] };
  const input = { ...place, createDocument: true, commentAnnotations: [annotation] };
  await call('/v2/commentannotations/add', input, headers);
}

describe('basic webhooks', () => {
  it('send an event as it is whose recipients take too long to read', async () => {
    const { headers, processed } = await scene('');
    areParticipantsSlow = true;
    await addMention(headers);
    await eventually(() => expect(typesOf(processed)).toEqual(['comment_annotation.add']));
    areParticipantsSlow = false;
    const [{ event, headers: sent } = { event: {}, headers: {} }] = processed.received;
    expect(event.data).toMatchObject({ annotationId: 'a1' });
    expect(event.data).not.toHaveProperty('recipients');
    expect(sent, 'without a token').not.toHaveProperty('authorization');
  });

  it('send every event to the raw URL, and comments and notifications with recipients and texts to the processed URL', async () => {
    const { headers, raw, processed } = await scene();
    await addMention(headers);
    await eventually(() => expect(typesOf(raw)).toContain('comment_annotation.add'));
    expect(typesOf(raw)).toEqual(expect.arrayContaining(['organization.add', 'user.add']));
    await eventually(() => expect(typesOf(processed)).toEqual(['comment_annotation.add']));
    const [first] = processed.received;
    const event = first?.event;
    expect(event.data).toMatchObject({
      annotationId: 'a1',
      notifyUsers: { bob: true },
      notifyUsersByUserId: { bob: true },
      recipients: [BOB],
      displayHeadlineMessage: expect.stringContaining('Ada'),
      displayBodyMessage: expect.stringContaining('Hello'),
    });
    // UTF-8 travels in headers as bytes, which Node shows one by one.
    const authorization = Buffer.from(first?.headers.authorization ?? '', 'latin1');
    expect(authorization.toString()).toBe('Basic tok€n');
    const same = raw.received.find((one) => one.event.id === event.id);
    expect(same?.event.data).not.toHaveProperty('recipients');
    expect(same?.headers['webhook-id']).toBe(event.id);
    const notification = { ...NOTIFICATION, ...place, notifyUsers: [{ userId: 'bob' }] };
    await call('/v2/notifications/add', notification, headers);
    await eventually(() => expect(processed.received).toHaveLength(2));
    expect(processed.received[1]?.event).toMatchObject({
      type: 'notification.add',
      data: {
        ...{ notifyUsers: { bob: true }, recipients: [BOB] },
        displayHeadlineMessage: expect.stringMatching(/^Ada .*of the launch$/),
        displayBodyMessage: NOTIFICATION.displayBodyMessage,
      },
    });
  });

  it('retry, pause while disabled, and continue at a new URL', async () => {
    const { headers, raw } = await scene();
    raw.respond = respondWith(410);
    await organize(server, 'acme', { documents: ['d'] }, headers);
    await eventually(() => expect(raw.received).toHaveLength(2));
    await setAdvancedWebhooks(server, headers, true);
    const shown = () => deliveriesOf(server, headers, { endpointId: 'basic-raw' });
    await eventually(async () => {
      expect((await shown()).map(({ attempts }) => attempts.length)).toEqual([1, 1]);
    });
    expect(await deliveriesOf(server, headers)).toEqual([]);
    expect((await call(PATHS.get, {}, headers)).endpoints).toEqual([]);
    await configure(headers, { useWebhookService: false });
    now += 60_000;
    const other = await startReceiver();
    await configure(headers, { webhookServiceConfig: { rawNotificationUrl: other.url } });
    await configure(headers, { useWebhookService: true });
    await eventually(() => expect(other.received).toHaveLength(2));
    expect(raw.received).toHaveLength(2);
    await eventually(async () => {
      expect((await shown()).map((one) => one.status)).toEqual(['delivered', 'delivered']);
    });
  });
});
