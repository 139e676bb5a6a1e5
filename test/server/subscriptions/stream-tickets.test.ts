import { createTRPCClient, httpSubscriptionLink, retryLink } from '@trpc/client';
import superjson from 'superjson';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ContractRouter } from '../../../src/api/contract-router.ts';
import { deleteUsedTickets } from '../../../src/api/credentials/stream-tickets.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { annotationsOf, type Place, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, type Headers } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { eventually } from '../../support/eventually.ts';
import { createNetwork } from '../../support/network.ts';
import { createTenant, startTestServer, type TestServer } from '../../support/server.ts';
import { readUntil } from '../../support/subscriptions.ts';
import { HeaderEventSource } from '../../support/trpc-client.ts';
import { whenTestEnds } from '../../support/when-file-ends.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

const one = await startTestServer({}, { clock });
const two = await startTestServer({ DATABASE_URL: one.databaseUrl }, { clock });
let place: Place;
let ada: Headers;
beforeEach(async () => {
  place = annotationsOf(one).place();
  dataOf(await annotationsOf(one).add(place, [{}]));
  ada = await userHeaders(one, 'ada', [memberOf(place)]);
});

const memberOf = ({ organizationId }: Place) => ({
  type: 'organization',
  id: organizationId,
  organizationId,
});

const generate = (headers: Headers) => one.call('/v2/auth/generate_stream_ticket', {}, headers);

const ticketOf = async (headers: Headers): Promise<string> =>
  dataOf(await generate(headers)).ticket;

/** Opens a stream by its address alone, and returns what it begins with. */
async function open(server: TestServer, query: object, input: object = place): Promise<string> {
  const search = new URLSearchParams({ input: superjson.stringify(input), ...query });
  const response = await fetch(`${server.url}/trpc/comments.changes?${search}`);
  return readUntil(response, /^id: |serialized-error.*\n.*\n/m);
}

const OPENED = /^id: /m;
const REFUSED = /"reason":"TICKET_INVALID"/;

describe('a stream ticket', () => {
  it('lives for a minute, and reveals neither the user nor the key', async () => {
    // A short id could stand in random characters by chance.
    const userId = 'somebody-in-particular';
    const headers = await userHeaders(one, userId, [memberOf(place)]);
    const { ticket, expiresAt } = dataOf(await generate(headers));
    expect(expiresAt).toBe(clock.time / 1000 + 60);
    const bytes = Buffer.from(ticket.split('.').at(-1) ?? '', 'base64url').toString('latin1');
    expect(ticket + bytes).not.toContain(one.quickstart.apiKey);
    expect(ticket + bytes).not.toContain(userId);
  });

  it('opens one subscription by its address, in either form', async () => {
    expect(await open(one, { ticket: await ticketOf(ada) })).toMatch(OPENED);
    const params = { connectionParams: JSON.stringify({ ticket: await ticketOf(ada) }) };
    expect(await open(two, params)).toMatch(OPENED);
  });

  it('opens only one subscription, also when all processes get it at once', async () => {
    const ticket = await ticketOf(ada);
    const texts = await Promise.all([one, two, one, two].map((server) => open(server, { ticket })));
    expect(texts.filter((text) => OPENED.test(text))).toHaveLength(1);
    expect(texts.filter((text) => REFUSED.test(text))).toHaveLength(3);
    expect(await open(one, { ticket })).toMatch(REFUSED);
  });

  it('is refused after a minute, forged, cut, or of another kind', async () => {
    const ticket = await ticketOf(ada);
    const pageToken = one.app.services.secrets.seal('{}', 'page token');
    for (const wrong of [`${ticket}A`, ticket.slice(0, -1), '', 'x', pageToken]) {
      expect(await open(one, { ticket: wrong }), wrong).toMatch(REFUSED);
    }
    clock.time += 60_000;
    expect(await open(one, { ticket })).toMatch(REFUSED);
  });

  it('is remembered as used for as long as any process may accept it, and then forgotten', async () => {
    const ticket = await ticketOf(ada);
    await open(one, { ticket });
    clock.time += 59_000;
    await deleteUsedTickets(one.app.services);
    expect(await open(two, { ticket })).toMatch(REFUSED);
    clock.time += 700_000;
    await deleteUsedTickets(one.app.services);
    const { db } = one.app.services;
    expect(await db.query(sql`SELECT 1 FROM used_stream_tickets /* all tenants */`)).toEqual([]);
  });

  it('ends with the token that it stands for, and so does its subscription', async () => {
    // No other test uses this user, whose erasure may end after this test.
    const leaver = await userHeaders(one, 'leaver', [memberOf(place)]);
    const early = await ticketOf(leaver);
    const seen = follow(one.url, async () => early);
    await eventually(() => expect(seen.starts).toBe(1));
    const before = await ticketOf(leaver);
    await one.ok('/v2/users/delete', { ...place, userIds: ['leaver'] });
    await one.call('/v2/users/data/delete', { userIds: ['leaver'] });
    await eventually(() => expect(seen.reasons).toEqual(['TOKEN_REVOKED']));
    expect(await open(two, { ticket: before })).toContain('TOKEN_REVOKED');
  });

  it('issued shortly before the token expires is not valid for longer', async () => {
    const { iat } = JSON.parse(
      Buffer.from(ada.authorization?.split('.')[1] ?? '', 'base64url').toString(),
    );
    const expiresAt = iat + 48 * 3600;
    clock.time = (expiresAt - 10) * 1000;
    expect(dataOf(await generate(ada)).expiresAt).toBe(expiresAt);
    const ticket = await ticketOf(ada);
    const seen = follow(one.url, async () => ticket);
    await eventually(() => expect(seen.starts).toBe(1));
    clock.time += 10_000;
    await eventually(() => expect(seen.reasons).toEqual(['TOKEN_EXPIRED']));
  });

  it('shows what its user may see, and nothing of another key', async () => {
    const documents = [{ documentId: 'closed', accessType: 'restricted' }];
    await organize(one, place.organizationId, { documents });
    const stranger = await userHeaders(one, 'ada', [], await createTenant(one));
    const grace = await userHeaders(one, 'grace', []);
    for (const [user, documentId] of [
      [stranger, place.documentId],
      [grace, 'closed'],
    ] as const) {
      const text = await open(one, { ticket: await ticketOf(user) }, { ...place, documentId });
      expect(text).toContain('PERMISSION_DENIED');
    }
  });

  it('is issued to users and not to API keys, and opens subscriptions only', async () => {
    expect(failureOf(await generate(one.keyHeaders)).status).toBe('FAILED_PRECONDITION');
    const ticket = await ticketOf(ada);
    const search = new URLSearchParams({ input: superjson.stringify(place), ticket });
    const response = await fetch(`${one.url}/trpc/commentAnnotations.get?${search}`);
    expect(response.status).toBe(403);
    expect(await open(one, { ticket })).toMatch(OPENED);
  });
});

/** Follows the comments with an EventSource without headers, as in a browser. */
function follow(url: string, ticket: () => Promise<string>) {
  const seen = { starts: 0, reasons: [] as unknown[], ids: [] as unknown[] };
  const client = createTRPCClient<ContractRouter>({
    links: [
      // As the guide says: the ticket of a lost connection is refused.
      retryLink({ retry: ({ error }) => error.data?.details?.reason === 'TICKET_INVALID' }),
      httpSubscriptionLink({
        url: `${url}/trpc`,
        transformer: superjson,
        connectionParams: async () => ({ ticket: await ticket() }),
        EventSource: HeaderEventSource,
      }),
    ],
  });
  const running = client.comments.changes.subscribe(place, {
    onStarted: () => seen.starts++,
    onData: ({ data }) => seen.ids.push((data.data as { annotationId?: string }).annotationId),
    onError: (error) => seen.reasons.push(error.data?.details?.reason),
  });
  whenTestEnds(() => running.unsubscribe());
  return seen;
}

it('the plain client of tRPC gets a ticket for each connection, and resumes after its last item', async () => {
  const proxy = await createNetwork(one.url);
  const seen = follow(proxy.url, () => ticketOf(ada));
  const add = async (annotationId: string) =>
    dataOf(await annotationsOf(one).add(place, [{ annotationId }]));
  const [first, second] = [`${place.documentId}-1`, `${place.documentId}-2`];
  await eventually(() => expect(seen.starts).toBe(1));
  await add(first);
  await eventually(() => expect(seen.ids).toEqual([first]));
  proxy.forwardTo(two.url);
  proxy.breakAll();
  await add(second);
  await eventually(() => expect(seen.ids).toEqual([first, second]));
  expect(seen.reasons).toEqual([]);
});
