import { beforeEach, describe, expect, it } from 'vitest';
import type { KeyContext } from '../../../src/api/context.ts';
import { sendTestMail } from '../../../src/features/email/send-test-mail.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import type { Place } from '../../support/annotations.ts';
import { eventually } from '../../support/eventually.ts';
import { mailingKey, mention } from '../../support/mail.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { hang, respondWith, startReceiver } from '../../support/receiver.ts';
import { startTestServer } from '../../support/server.ts';

const clock = { time: Date.UTC(2027, 0, 5, 9), now: () => clock.time };
const API_KEY = 'SG.very-secret-key';
const CONFIG = {
  ...{ type: 'external', apiKey: API_KEY, fromEmail: 'team@acme.example', fromCompany: 'Acme' },
  ...{ commentTemplateId: 'd-comment', tagTemplateId: 'd-tag' },
};

const sendGrid = await startReceiver();
const smtp = await startMailServer();
const SENDGRID_BASE_URL = `${sendGrid.url}/gateway`;
const OUTBOUND_ALLOWED_NETWORKS = '127.0.0.0/8';
const environment = { SENDGRID_BASE_URL, OUTBOUND_ALLOWED_NETWORKS, SMTP_URL: smtp.url };
const server = await startTestServer(environment, { clock });

let key: Awaited<ReturnType<typeof mailingKey>>;
let place: Place;
let logged: string[];
beforeEach(async () => {
  sendGrid.respond = respondWith(202);
  logged = [];
  server.app.services.log = createLogger('trace', { write: (line) => logged.push(line) });
  await use(CONFIG);
});

const use = async (emailServiceConfig: object) => {
  key = await mailingKey(server, { emailServiceConfig });
  place = key.place();
};
const requestsFor = ({ email }: { email: string }) =>
  sendGrid.received.filter(({ event }) => event.personalizations[0].to[0].email === email);
const requestFor = (user: { email: string }, count = 1) =>
  eventually(() => {
    expect(requestsFor(user)).toHaveLength(count);
    return requestsFor(user)[count - 1];
  });
describe('the external email service', () => {
  it('sends a mention with its template and all template variables, and other comments with another template', async () => {
    const { ada, grace } = await key.people(place, 'ada', 'grace');
    const commentHtml = '<p>Look <img src=x onerror=steal()></p>';
    const pageInfo = { url: 'https://app.example.com/plan', title: 'Launch plan' };
    const comment = { commentText: 'Look', commentHtml, ...mention(grace) };
    const annotationId = await key.comment(place, comment, { pageInfo });
    const request = await requestFor(grace);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/gateway/v3/mail/send',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      event: {
        template_id: 'd-tag',
        from: { email: 'team@acme.example', name: 'Acme' },
      },
    });
    expect(request?.event).not.toHaveProperty('content');
    expect(request?.event.personalizations).toEqual([
      {
        to: [{ email: grace.email, name: 'Grace' }],
        custom_args: { mailId: expect.stringMatching(/^[0-9a-f]{40}$/) },
        dynamic_template_data: {
          subject: 'Ada mentioned you in a comment: Launch plan',
          headline: 'Ada mentioned you in a comment',
          commentText: 'Look',
          commentHtml: '<p>Look </p>',
          url: 'https://app.example.com/plan',
          documentTitle: 'Launch plan',
          eventType: 'comment_annotation.add',
          reason: 'mentioned',
          ...place,
          annotationId,
          annotationNumber: 1,
          commentIds: [1],
          recipientUser: { userId: 'grace', name: 'Grace', email: grace.email },
          actionUser: expect.objectContaining({ userId: 'ada', name: 'Ada' }),
        },
      },
    ]);
    await key.call('/v2/commentannotations/comments/add', {
      ...{ ...place, annotationId },
      commentData: [{ commentText: 'Re', from: { userId: 'grace' }, triggerNotification: true }],
    });
    expect((await requestFor(ada))?.event.template_id).toBe('d-comment');
    await key.settled({ grace: 'sent', ada: 'sent' });
    expect(smtp.offered).not.toContain(grace.email);
  });

  it('sends subject, text and HTML if no template is configured', async () => {
    await use({ ...CONFIG, tagTemplateId: '' });
    const { grace } = await key.people(place, 'ada', 'grace');
    await key.comment(place, { commentText: 'Plain & simple', ...mention(grace) });
    const { event: body } = (await requestFor(grace)) ?? {};
    expect(body).toMatchObject({
      subject: 'Ada mentioned you in a comment',
      content: [
        { type: 'text/plain', value: expect.stringContaining('Plain & simple') },
        { type: 'text/html', value: expect.stringContaining('Plain &amp; simple') },
      ],
    });
    expect(body).not.toHaveProperty('template_id');
    expect(body.personalizations[0]).not.toHaveProperty('dynamic_template_data');
  });

  it.each([
    ['a failure of the service', respondWith(503, {}, `Bearer ${API_KEY} came too early`), 10],
    ['as long as the service asks', respondWith(429, { 'retry-after': '90' }), 90],
    [
      'six hours, if the service asks for years',
      respondWith(429, { 'retry-after': '9999999999' }),
      21_600,
    ],
  ])('sends the same mail once more after %s', async (_what, fails, waitSeconds) => {
    const { grace } = await key.people(place, 'ada', 'grace');
    sendGrid.respond = fails;
    await key.comment(place, mention(grace));
    const first = await requestFor(grace);
    expect(Math.abs((await key.waits('grace', 1)) - waitSeconds)).toBeLessThan(10);
    sendGrid.respond = respondWith(202);
    await key.retryNow();
    const second = await requestFor(grace, 2);
    await key.settled({ grace: 'sent' });
    expect(second?.event.personalizations[0].custom_args).toEqual(
      first?.event.personalizations[0].custom_args,
    );
  });

  it.each([400, 302])('does not retry after %i', async (code) => {
    const { grace } = await key.people(place, 'ada', 'grace');
    sendGrid.respond = respondWith(code, { location: `${sendGrid.url}/elsewhere` });
    await key.comment(place, mention(grace));
    await key.settled({ grace: 'failed' });
    expect(requestsFor(grace)).toHaveLength(1);
  });

  it('sends nothing without an API key, logs this once, and says so of a test mail', async () => {
    await use({ ...CONFIG, apiKey: '' });
    const { grace, alan } = await key.people(place, 'ada', 'grace', 'alan');
    await key.comment(place, mention(grace, alan));
    await key.settled({ grace: 'dropped', alan: 'dropped' });
    expect([...requestsFor(grace), ...requestsFor(alan)]).toEqual([]);
    for (const { email } of [grace, alan]) expect(smtp.offered).not.toContain(email);
    expect(logged.filter((line) => line.includes('has no apiKey'))).toHaveLength(1);
    const ctx = { ...server.app.services, tenantId: key.tenantId } as KeyContext;
    await expect(sendTestMail(ctx, 'ops@acme.example')).rejects.toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'The external email service has no apiKey. Set it with emailConfig.update.',
    });
  });

  it('never logs its API key', async () => {
    const { grace, alan } = await key.people(place, 'ada', 'grace', 'alan');
    sendGrid.respond = (request, response) =>
      respondWith(400, {}, `Not you: ${request.headers.authorization}`)(request, response);
    await key.comment(place, mention(grace));
    await key.settled({ grace: 'failed' });
    await key.call('/v2/workspace/emailconfig/update', {
      emailServiceConfig: { apiKey: `${API_KEY}-☠` },
    });
    await key.comment(place, mention(alan));
    await key.settled({ grace: 'failed', alan: 'failed' });
    expect(logged.filter((line) => line.includes('It will not be tried again.'))).toHaveLength(2);
    expect(logged.join('\n')).toContain('Not you: Bearer [secret]');
    expect(logged.join('\n')).not.toContain(API_KEY);
  });

  it('is delayed neither by a dead SMTP server nor by a slow tenant', async () => {
    smtp.hold = () => new Promise(() => {});
    const dead = await mailingKey(server);
    const deadPlace = dead.place();
    const names = Array.from({ length: 8 }, (_, n) => `reader-${n}` as const);
    const people = Object.values(await dead.people(deadPlace, 'ada', ...names));
    await dead.comment(deadPlace, mention(...people));
    const slow = Object.values(await key.people(place, ...names));
    const addresses = new Set(slow.map(({ email }) => email));
    sendGrid.respond = (request, response) => {
      const isSlow = addresses.has(request.event.personalizations[0].to[0].email);
      (isSlow ? hang : respondWith(202))(request, response);
    };
    await key.comment(place, mention(...slow));
    await eventually(() => expect(smtp.offered.length).toBeGreaterThan(0));
    await eventually(() => expect(slow.flatMap(requestsFor)).toHaveLength(4));
    await use(CONFIG);
    const { grace } = await key.people(place, 'ada', 'grace');
    await key.comment(place, mention(grace));
    await requestFor(grace);
    await key.settled({ grace: 'sent' });
  });
});
