import { beforeEach, describe, expect, it } from 'vitest';
import { moveOldMails } from '../../../src/features/email/mail-jobs.ts';
import { mailHandlers } from '../../../src/features/email/send-mail.ts';
import { RetryLater } from '../../../src/platform/jobs/job.ts';
import { type Place, userHeaders } from '../../support/annotations.ts';
import { erase } from '../../support/erasure.ts';
import { eventually } from '../../support/eventually.ts';
import { mailingKey, mention } from '../../support/mail.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };

const smtp = await startMailServer();
const addresses = { MAIL_FROM_DOMAINS: 'acme.example', PUBLIC_URL: 'https://collab.example.org' };
const server = await startTestServer({ SMTP_URL: smtp.url, ...addresses }, { clock });

let key: Awaited<ReturnType<typeof mailingKey>>;
let place: Place;
beforeEach(async () => {
  smtp.refuse = () => undefined;
  smtp.hold = async () => undefined;
  key = await mailingKey(server);
  place = key.place();
});

const mailTo = ({ email }: { email: string }) =>
  eventually(() => {
    const [mail] = smtp.mailsTo(email);
    if (!mail) throw new Error(`No mail has arrived for ${email}.`);
    return mail;
  });
const offersTo = ({ email }: { email: string }) =>
  smtp.offered.filter((address) => address === email).length;

/** Ada mentions these people, to whom no mail can be sent yet. */
async function mentionInVain<Name extends string>(...names: Name[]) {
  const people = await key.people<'ada' | Name>(place, 'ada', ...names);
  smtp.refuse = () => [451, 'Try later'];
  const annotationId = await key.comment(place, mention(...names.map((name) => people[name])));
  for (const name of names) await key.waits(name, 1);
  return { ...people, annotationId };
}

describe('a mail about a comment', () => {
  it('goes to participants and mentioned users, shows author, text and document, and is counted', async () => {
    const { grace, alan } = await key.people(place, 'ada', 'grace', 'alan');
    const annotationId = await key.comment(place, { from: { userId: 'grace' } });
    const reply = { commentText: 'Ship it <today> & tell', ...mention(alan) };
    await key.call('/v2/commentannotations/comments/add', {
      ...{ ...place, annotationId },
      commentData: [{ ...reply, from: { userId: 'ada' }, triggerNotification: true }],
    });
    const mail = await mailTo(grace);
    expect(mail).toMatchObject({
      from: 'no-reply@collab.example.org',
      headers: {
        from: 'no-reply@collab.example.org',
        to: `Grace <${grace.email}>`,
        subject: 'Ada replied to a comment',
        'auto-submitted': 'auto-generated',
        'message-id': expect.stringMatching(/^<[0-9a-f]{40}@collab\.example\.org>$/),
        references: expect.stringMatching(/^<[0-9a-f]{40}@collab\.example\.org>$/),
      },
    });
    expect(mail.text).toContain('Ship it <today> & tell');
    expect(mail.text).toContain('because you take part in this conversation');
    expect(mail.html).toContain('Ship it &lt;today&gt; &amp; tell');
    expect(mail.html).not.toContain('href');
    const toMentioned = await mailTo(alan);
    expect(toMentioned.headers.subject).toBe('Ada mentioned you in a comment');
    expect(toMentioned.text).toContain('because you were mentioned');
    await key.settled({ grace: 'sent', alan: 'sent' });
    expect(smtp.mailsTo(grace.email)).toHaveLength(1);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^mails_total\{service="default",outcome="sent"\} [1-9]/m);
  });

  it.each([
    [
      'the service, with a reply address of the key, unless the operator allows its domain',
      { fromEmail: 'ceo@bank.example', fromCompany: 'Acme' },
      'no-reply@collab.example.org',
      {
        from: 'Acme <no-reply@collab.example.org>',
        'reply-to': 'Acme <ceo@bank.example>',
      },
    ],
    [
      'the key, with its company',
      { fromEmail: 'team@acme.example', fromCompany: 'Acme "& Sons"' },
      'team@acme.example',
      { from: '"Acme \\"& Sons\\"" <team@acme.example>' },
    ],
  ])('comes from %s', async (_what, emailServiceConfig, from, headers) => {
    key = await mailingKey(server, { emailServiceConfig });
    const { grace } = await key.people(place, 'ada', 'grace');
    await key.comment(place, mention(grace));
    expect(await mailTo(grace)).toMatchObject({ from, headers });
  });

  it('links to the page that the frontend gave, over http(s) only', async () => {
    const { grace } = await key.people(place, 'ada', 'grace');
    const url = 'https://app.example.com/plan?a=1&b="2"';
    const commentUrl = 'https://app.example.com/plan?a=1&b=2#comment';
    const title = 'Launch\r\nBcc: eve@example.com';
    await key.comment(place, mention(grace), { pageInfo: { commentUrl, url, title } });
    const mail = await mailTo(grace);
    expect(mail.text).toContain(commentUrl);
    expect(mail.html).toContain('href="https://app.example.com/plan?a=1&amp;b=2#comment"');
    expect(mail.headers.subject).toBe(
      'Ada mentioned you in a comment: Launch Bcc: eve@example.com',
    );
    expect(mail.headers).not.toHaveProperty('bcc');

    const { alan } = await key.people(place, 'ada', 'alan');
    await key.comment(place, mention(alan), { pageInfo: { url: 'javascript:alert(1)' } });
    expect((await mailTo(alan)).html).not.toMatch(/href|javascript/);
  });

  it('links to no host that a user named, except this service and the domains of the key', async () => {
    const { ada, grace, alan } = await key.people(place, 'ada', 'grace', 'alan');
    await key.call('/v2/workspace/domains/add', { domains: ['*.acme.example'] });
    await key.call('/v2/organizations/documents/add', { ...place, documents: [place] });
    const headers = await userHeaders(server, ada.userId, [], key.headers);
    const commentHtml =
      '<a href="https://evil.example.com">one</a> <a href="https://app.acme.example/x">two</a>';
    const say = async (to: object, pageInfo: object) => {
      const commentData = [{ commentHtml, taggedUserContacts: [to] }];
      const input = { ...place, commentAnnotations: [{ commentData, pageInfo }] };
      await server.ok('/v2/commentannotations/add', input, headers);
    };
    await say(grace, { url: 'https://evil.example.com/login', title: 'Your account is closed' });
    const caught = await mailTo(grace);
    expect(caught.headers.subject).toBe('Ada mentioned you in a comment');
    expect(caught.html).toContain(
      '<span>one</span> <a href="https://app.acme.example/x" rel="noopener noreferrer nofollow">',
    );
    expect(`${caught.html}${caught.text}`).not.toContain('evil.example.com');
    await say(alan, { url: 'https://app.acme.example/plan', title: 'Launch' });
    const mail = await mailTo(alan);
    expect(mail.headers.subject).toBe('Ada mentioned you in a comment: Launch');
    expect(mail.text).toContain('https://app.acme.example/plan');
    const { organizationId, documentId } = place;
    const shown = await key.call('/v2/commentannotations/get', { organizationId, documentId });
    expect(JSON.stringify(shown)).not.toContain('isByUser');
  });

  it('has one recipient, one subject line and nothing that runs or breaks the layout, also in names', async () => {
    const { grace } = await key.people(place, 'ada', 'grace');
    const commentHtml =
      '<p onclick="steal()">Good work</p><script>steal()</script></div></body><form><input></form>';
    const users = [
      { userId: 'ada', name: '<img src=x onerror=steal()>\r\nBcc: eve@example.com\r\n\r\nHello' },
      { userId: 'grace', name: 'Grace" <eve@example.com>,\r\nX-Evil: 1' },
    ];
    await key.call('/v2/users/update', { organizationId: place.organizationId, users });
    await key.comment(place, { commentText: '', commentHtml, ...mention(grace) });
    const { headers, to, html, text } = await mailTo(grace);
    expect(to).toBe(grace.email);
    expect(headers).not.toHaveProperty('bcc');
    expect(headers).not.toHaveProperty('x-evil');
    expect(headers.subject).toBe(
      '<img src=x onerror=steal()> Bcc: eve@example.com Hello mentioned you in a comment',
    );
    expect(smtp.offered).not.toContain('eve@example.com');
    expect(html).toContain('<p>Good work</p>');
    expect(html).toContain('&lt;img src=x onerror=steal()&gt;');
    expect(html).not.toMatch(/<script|<img|<form|<input|onclick/);
    expect(html.match(/<\/body>/g)).toHaveLength(1);
    expect(text).toContain('Good work');
  });
});

describe('no mail is sent', () => {
  it('to the acting user, without a stored address, or without triggerNotification', async () => {
    const { grace } = await key.people(place, 'ada', 'grace');
    const { organizationId } = place;
    await key.call('/v1/users/add', { organizationId, users: [{ userId: 'nobody' }] });
    const named = { userId: 'mallory', email: 'mallory@example.com' };
    await key.comment(place, mention(grace, { userId: 'ada' }, { userId: 'nobody' }, named));
    await key.comment(place, { ...mention(grace), triggerNotification: false });
    await key.readAll();
    await key.settled({ grace: 'sent' });
    expect(smtp.mailsTo(grace.email)).toHaveLength(1);
    expect(smtp.offered).not.toContain(named.email);
  });

  it('to users who lost access to the comment, or have read it, before the mail was sent', async () => {
    const { alan, edsger, annotationId } = await mentionInVain('grace', 'alan', 'edsger');
    clock.time += 1_000;
    await key.call('/v2/commentannotations/read', { ...place, annotationId, userId: 'edsger' });
    await key.call('/v2/commentannotations/update', {
      ...place,
      annotationIds: [annotationId],
      updatedData: { visibility: { type: 'restricted', userIds: ['grace', 'edsger'] } },
    });
    smtp.refuse = () => undefined;
    await key.retryNow();
    await key.settled({ grace: 'sent', alan: 'dropped', edsger: 'dropped' });
    expect([offersTo(alan), offersTo(edsger)]).toEqual([1, 1]);
  });

  it('about a deleted comment, and an edited one is sent in its current form', async () => {
    const { grace, alan } = await key.people(place, 'ada', 'grace', 'alan');
    smtp.refuse = () => [451, 'Try later'];
    const deleted = await key.comment(place, { commentText: 'Wrong', ...mention(grace) });
    const edited = await key.comment(place, { commentText: 'Tpyo', ...mention(alan) });
    await key.waits('grace', 1);
    await key.waits('alan', 1);
    const target = { ...place, annotationId: deleted };
    await key.call('/v2/commentannotations/comments/delete', { ...target, commentIds: [1] });
    await key.call('/v2/commentannotations/comments/update', {
      ...place,
      annotationId: edited,
      commentData: [{ commentId: 1, commentText: 'Typo' }],
    });
    smtp.refuse = () => undefined;
    await key.retryNow();
    expect((await mailTo(alan)).text).toContain('Typo');
    await key.settled({ grace: 'dropped', alan: 'sent' });
    expect(smtp.mailsTo(grace.email)).toEqual([]);
  });

  it('while the service or its triggers are disabled; enabling the service enables the triggers', async () => {
    const update = (data: object) => key.call('/v2/workspace/emailconfig/update', data);
    const { grace } = await key.people(place, 'ada', 'grace');
    await update({ useEmailService: false });
    await key.comment(place, mention(grace));
    await key.readAll();
    await key.states(0);

    key = await mailingKey(server, { setDefaultEmailTriggers: false });
    const { alan } = await key.people(place, 'ada', 'alan');
    await key.comment(place, mention(alan));
    await key.readAll();
    await key.states(0);
    await update({ useEmailService: true });
    await key.comment(place, mention(alan));
    await mailTo(alan);
    expect(offersTo(grace)).toBe(0);
  });

  it('against the preferences of a user: for the document before the organization', async () => {
    const names = ['ada', 'grace', 'alan', 'edsger'] as const;
    const { grace, alan, edsger } = await key.people(place, ...names);
    const { organizationId, documentId } = place;
    const prefer = (userId: string, email: string, documentIds: string[] = []) =>
      key.call('/v2/notifications/config/set', {
        ...{ organizationId, userId, documentIds },
        config: { email },
      });
    const annotationId = await key.comment(place, {
      ...mention(edsger),
      triggerNotification: false,
    });
    await prefer('grace', 'NONE');
    await prefer('alan', 'NONE');
    await prefer('alan', 'ALL', [documentId]);
    await prefer('edsger', 'MINE');
    const reply = (comment: object) =>
      key.call('/v2/commentannotations/comments/add', {
        ...{ ...place, annotationId },
        commentData: [{ from: { userId: 'ada' }, triggerNotification: true, ...comment }],
      });
    await reply({ commentText: 'To all', ...mention(grace, alan) });
    await mailTo(alan);
    await key.readAll();
    await key.settled({ alan: 'sent' });
    await reply({ commentText: 'To you', ...mention(edsger) });
    expect((await mailTo(edsger)).text).toContain('To you');
    expect(offersTo(grace)).toBe(0);
  });
});

describe('the mail queue', () => {
  it('retries temporary failures, and sends nothing twice', async () => {
    const { grace, alan } = await key.people(place, 'ada', 'grace', 'alan');
    smtp.refuse = (to) => (to === grace.email ? [451, 'Try later'] : undefined);
    await key.comment(place, mention(grace, alan));
    await mailTo(alan);
    expect(await key.waits('grace', 1)).toBeLessThan(20);
    await key.comment(place, { ...mention(alan), commentText: 'Beside' });
    await eventually(() => expect(smtp.mailsTo(alan.email)).toHaveLength(2));
    expect(offersTo(grace)).toBe(1);
    await key.retryNow();
    expect(await key.waits('grace', 2)).toBeGreaterThan(9);
    smtp.refuse = () => undefined;
    await key.retryNow();
    const mail = await mailTo(grace);
    expect(mail.headers['message-id']).not.toBe(smtp.mailsTo(alan.email)[0]?.headers['message-id']);
    await eventually(async () =>
      expect(await key.states(3)).toEqual({ alan: 'sent', grace: 'sent' }),
    );
    expect(smtp.mailsTo(grace.email)).toHaveLength(1);
    expect(smtp.mailsTo(alan.email)).toHaveLength(2);
  });

  it('sends the mails of a key beside another one, whose mails cannot be prepared', async () => {
    const other = await mailingKey(server);
    const elsewhere = other.place();
    const { grace } = await mentionInVain('grace');
    const { alan } = await other.people(elsewhere, 'ada', 'alan');
    await other.comment(elsewhere, mention(alan));
    await eventually(() => expect(offersTo(alan)).toBe(1));
    await eventually(async () => expect(await other.states(1)).toEqual({ alan: 'waiting' }));
    await server.app.services.db.pool.query(
      `UPDATE comment_annotations SET access = '{"team": 1}' WHERE tenant_id = $1`,
      [other.tenantId],
    );
    smtp.refuse = () => undefined;
    await key.retryNow();
    await mailTo(grace);
    expect(offersTo(alan)).toBe(1);
  });

  it('gives up after the last attempt, many hours after the first', async () => {
    const { grace } = await key.people(place, 'ada', 'grace');
    smtp.refuse = () => [452, 'Never today'];
    await key.comment(place, mention(grace));
    await key.waits('grace', 1);
    // As after eight attempts.
    await server.app.services.db.pool.query(
      "UPDATE pgboss.job SET retry_count = 7 WHERE data->>'tenantId' = $1 /* all tenants */",
      [key.tenantId],
    );
    let seconds = 0;
    for (const attempt of [9, 10, 11, 12]) {
      await key.retryNow();
      seconds += await key.waits('grace', attempt);
    }
    await key.retryNow();
    await key.settled({ grace: 'failed' });
    expect(offersTo(grace)).toBe(6);
    expect(seconds / 3_600).toBeGreaterThan(5);
  });

  it('forgets the mails to erased users', async () => {
    await mentionInVain('grace', 'alan');
    expect(await erase(server, key.headers, { userIds: ['grace'] })).toMatchObject({ mails: 1 });
    expect(await key.states(1)).toEqual({ alan: 'waiting' });
  });

  it('retries a mail when the connection is refused, but not what is refused permanently', async () => {
    const { grace, alan, edsger } = await key.people(place, 'ada', 'grace', 'alan', 'edsger');
    smtp.refuse = (to) => {
      if (to === grace.email) return [550, 'No such mailbox'];
      return to === alan.email ? [530, 'Authentication required'] : [503, 'Bad sequence'];
    };
    await key.comment(place, mention(grace, alan, edsger));
    for (const name of ['alan', 'edsger']) await key.waits(name, 1);
    await key.settled({ grace: 'failed', alan: 'waiting', edsger: 'waiting' });
    expect(offersTo(grace)).toBe(1);
  });

  it('sends the mails of a dead process when their lease has expired', async () => {
    const { grace } = await mentionInVain('grace');
    smtp.refuse = () => undefined;
    // A process claims the mail before any other finds it due, and then dies.
    const claimed = (secondsAgo: number) =>
      server.app.services.db.pool.query(
        `UPDATE pgboss.job SET state = 'active', started_on = now() - make_interval(secs => $1)
         WHERE data->>'tenantId' = $2 AND data->>'userId' = 'grace' /* all tenants */`,
        [secondsAgo, key.tenantId],
      );
    await claimed(115);
    const { alan } = await key.people(place, 'alan');
    await key.comment(place, mention(alan));
    await mailTo(alan);
    expect(offersTo(grace)).toBe(1);
    await claimed(120);
    await key.waits('grace', 1);
    await key.retryNow();
    await mailTo(grace);
    await key.settled({ grace: 'sent', alan: 'sent' });
    expect(smtp.mailsTo(grace.email)).toHaveLength(1);
  });

  it('sends a mail with the same Message-ID again when its delivery is uncertain', async () => {
    const { grace } = await key.people(place, 'ada', 'grace');
    await key.comment(place, mention(grace));
    await key.settled({ grace: 'sent' });
    // This is the state after a process died between sending and recording.
    await server.app.services.db.pool.query(
      "UPDATE pgboss.job SET state = 'created' WHERE data->>'tenantId' = $1 /* all tenants */",
      [key.tenantId],
    );
    await eventually(() => expect(smtp.mailsTo(grace.email)).toHaveLength(2));
    const [first, second] = smtp.mailsTo(grace.email);
    expect(second?.headers['message-id']).toBe(first?.headers['message-id']);
  });

  it('sends once what the previous release has queued', async () => {
    const { grace } = await mentionInVain('grace');
    smtp.refuse = () => undefined;
    const { db } = server.app.services;
    await db.pool.query(
      `WITH queued AS (
         DELETE FROM pgboss.job WHERE data->>'tenantId' = $1 RETURNING data /* all tenants */)
       INSERT INTO mails (tenant_id, event_sequence, user_id, due_at)
       SELECT $1, (data->>'sequence')::bigint, 'grace', $2 FROM queued`,
      [key.tenantId, new Date(clock.time)],
    );
    await Promise.all([moveOldMails(server.app.services), moveOldMails(server.app.services)]);
    await key.settled({ grace: 'sent' });
    await moveOldMails(server.app.services);
    expect(smtp.mailsTo(grace.email)).toHaveLength(1);
  });

  it("does not let one tenant's mails wait for those of another", async () => {
    const many = Array.from({ length: 12 }, (_, n) => `reader-${n}` as const);
    const people = Object.values(await key.people(place, 'ada', ...many)).slice(1);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const slow = new Set(people.map(({ email }) => email));
    smtp.hold = (to) => (slow.has(to) ? released : Promise.resolve());
    await key.comment(place, mention(...people));
    await eventually(() => expect(people.filter((user) => offersTo(user) > 0).length).toBe(5));
    const other = await mailingKey(server);
    const { alan } = await other.people(place, 'ada', 'alan');
    await other.comment(place, mention(alan));
    await mailTo(alan);
    release();
    await key.settled(Object.fromEntries(many.map((name) => [name, 'sent'])));
    expect(people.every(({ email }) => smtp.mailsTo(email).length === 1)).toBe(true);
  });

  it('lets the process stop while a server is silent, also in the last attempt, and sends the mail after the next start', async () => {
    const silent = await startMailServer();
    silent.refuse = () => [451, 'Try later'];
    const environment = { SMTP_URL: silent.url };
    const stopping = await startTestServer(environment, { clock });
    const own = await mailingKey(stopping);
    const { grace } = await own.people(place, 'ada', 'grace');
    await own.comment(place, mention(grace));
    await own.waits('grace', 1);
    Object.assign(silent, { refuse: () => undefined, hold: () => new Promise(() => {}) });
    const retryNow = (server: TestServer, retries: string) =>
      server.app.services.db.pool.query<{ data: object }>(
        `UPDATE pgboss.job SET start_after = now(), retry_count = ${retries}
         WHERE name = 'mails.default' AND state = 'retry' RETURNING data /* all tenants */`,
      );
    const { rows } = await retryNow(stopping, 'retry_limit - 1');
    await eventually(() => expect(silent.offered).toEqual([grace.email, grace.email]));

    const startedAt = performance.now();
    // A mail that the stop meets before it is at the mail server.
    const [handler] = mailHandlers;
    const sending = handler?.run(stopping.app.services, rows[0]?.data, AbortSignal.abort(), 1);
    await expect(sending).rejects.toThrow(RetryLater);
    // The connection to the mail server would end after 20 seconds.
    expect(performance.now() - startedAt).toBeLessThan(10_000);

    const stoppedAt = performance.now();
    await stopping.app.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(6_000);
    silent.hold = async () => undefined;
    const { databaseUrl: DATABASE_URL } = stopping;
    await retryNow(
      await startTestServer({ ...environment, DATABASE_URL }, { clock }),
      'retry_count',
    );
    await eventually(() => expect(silent.mailsTo(grace.email)).toHaveLength(1));
  });
});
