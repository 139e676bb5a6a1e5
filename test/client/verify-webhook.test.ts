import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../src/client/webhooks.ts';
import { signedHeaders, signingKeyOf } from '../../src/features/webhooks/engine/sign.ts';

const secretOf = (fill: number) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`;
const [one, two] = [secretOf(1), secretOf(2)];
const event = { id: 'e1', type: 'comment.add', data: { text: 'Größe 😀' } };
const body = JSON.stringify(event);
const seconds = () => Math.floor(Date.now() / 1000);
const signed = (secrets: string[], at = seconds()) =>
  signedHeaders(secrets.map(signingKeyOf), 'e1', at, body);

describe('verifyWebhook', () => {
  it('returns the event of a request that is signed with a known secret', async () => {
    expect(await verifyWebhook(body, signed([one]), one)).toEqual(event);
    expect(await verifyWebhook(Buffer.from(body), signed([one]), [two, one])).toEqual(event);
    const headers = new Headers(signed([two, one]));
    expect(await verifyWebhook(body, headers, one)).toEqual(event);
    const ofAnotherFetch = { get: (name: string) => headers.get(name) } as Headers;
    expect(await verifyWebhook(body, ofAnotherFetch, one)).toEqual(event);
  });

  it('accepts the signature of another library, and headers in any case', async () => {
    const at = new Date();
    const headers = {
      'Webhook-Id': 'e1',
      'Webhook-Timestamp': String(Math.floor(at.getTime() / 1000)),
      'Webhook-Signature': `v1a,else ${new Webhook(one).sign('e1', at, body)}`,
    };
    expect(await verifyWebhook(body, headers, one)).toEqual(event);
  });

  it.each([
    ['another body', `${body} `, signed([one]), one],
    ['another secret', body, signed([two]), one],
    ['another id', body, { ...signed([one]), 'webhook-id': 'e2' }, one],
    ['another time', body, { ...signed([one]), 'webhook-timestamp': String(seconds() + 1) }, one],
    ['a cut signature', body, { ...signed([one]), 'webhook-signature': 'v1,AAAA' }, one],
    ['no signature', body, { ...signed([one]), 'webhook-signature': '' }, one],
    ['none of our version', body, { ...signed([one]), 'webhook-signature': 'v2,AAAA' }, one],
    ['no headers', body, {}, one],
    ['an old request', body, signed([one], seconds() - 301), one],
    ['one from the future', body, signed([one], seconds() + 302), one],
    ['a time that is none', body, { ...signed([one]), 'webhook-timestamp': 'NaN' }, one],
  ])('refuses %s', async (_what, sent, headers, secret) => {
    await expect(verifyWebhook(sent, headers, secret)).rejects.toThrow(WebhookVerificationError);
  });

  it('accepts older requests if configured', async () => {
    const old = signed([one], seconds() - 1_000);
    expect(await verifyWebhook(body, old, one, { toleranceSeconds: 2_000 })).toEqual(event);
  });

  it.each([
    ['an empty one, with which anybody could sign', ''],
    ['none', []],
    ['one without its prefix', one.replace('whsec_', '')],
    ['one that was cut', one.slice(0, 30)],
    ['one that is no base64', `${one.slice(0, -4)}-_?*`],
  ])('names the secret as the problem if it is %s', async (_what, secret) => {
    for (const headers of [signed([one]), {}]) {
      const verified = verifyWebhook(body, headers, secret);
      await expect(verified).rejects.toThrow(/webhook secret (is malformed|was given)/);
      await expect(verified).rejects.toThrow(TypeError);
    }
  });

  it('asks for the raw body if it gets a parsed one', async () => {
    const parsed = JSON.parse(body) as never;
    await expect(verifyWebhook(parsed, signed([one]), one)).rejects.toThrow(/Pass the raw body/);
  });

  it('spends little on a request with many signatures', async () => {
    const forged = Array.from({ length: 300 }, () => `v1,${'A'.repeat(43)}=`);
    const genuine = signed([one]);
    const fitting = genuine['webhook-signature'];
    const headers = (signatures: Array<string | undefined>) => ({
      ...genuine,
      'webhook-signature': signatures.join(' '),
    });
    const verify = vi.spyOn(crypto.subtle, 'verify');
    await expect(verifyWebhook(body, headers(forged), one)).rejects.toThrow(
      'No signature matches.',
    );
    expect(verify.mock.calls.length).toBeLessThan(20);
    verify.mockRestore();
    const rotated = headers([...forged.slice(0, 5), fitting]);
    expect(await verifyWebhook(body, rotated, one)).toEqual(event);
  });
});
