import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, it } from 'vitest';
import { failureOf, fresh } from '../../support/answers.ts';
import { organize } from '../../support/directory.ts';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { startReceiver } from '../../support/receiver.ts';
import { blocksOf, makeUserProject, startExample } from '../../support/run-example.ts';
import { createTenant, testServer } from '../../support/server.ts';
import { createEndpoint, PATHS, secretOf, webhookTenant } from '../../support/webhooks.ts';
import { whenFileEnds } from '../../support/when-file-ends.ts';

const server = testServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });

const addDocument = async (headers: Record<string, string>) => {
  const documents = [{ documentId: fresh('doc'), documentName: 'Größe "A" \u2028 😀' }];
  await organize(server, fresh('org'), { documents }, headers);
};

/** Whether a text is in any row of a table. */
async function isStored(table: string, text: string): Promise<boolean> {
  const { rows } = await server.app.services.db.pool.query(
    `SELECT 1 FROM ${table} AS t /* all tenants */ WHERE strpos(t::text, $1) > 0`,
    [text],
  );
  return rows.length > 0;
}

describe('a webhook URL with a secret in it', () => {
  const masked = (url: string) => url.replace(/=s3cret\w+/, '=…');

  it('is encrypted in the database and masked in answers, and receives deliveries', async () => {
    const headers = await webhookTenant(server);
    const receiver = await startReceiver();
    const url = `${receiver.url}/in?team=7&token=s3cretOfAnEndpoint`;
    const created = await createEndpoint(server, headers, { url });
    expect(created.url).toBe(masked(url));
    expect(await isStored('webhook_endpoints', 's3cretOfAnEndpoint')).toBe(false);
    const { endpoints } = await server.ok(PATHS.get, {}, headers);
    expect(endpoints[0].url).toBe(masked(url));

    const change = { endpointId: created.id, url: masked(url), description: 'The same' };
    expect((await server.ok(PATHS.update, change, headers)).description).toBe('The same');
    const other = { ...change, url: masked(url).replace('team=7', 'team=8') };
    const { error } = (await server.call(PATHS.update, other, headers)).body;
    expect(error.status).toBe('INVALID_ARGUMENT');
    const message = 'is masked: give the whole address';
    expect(error.details).toEqual({ issues: [{ path: 'url', message }] });
    await addDocument(headers);
    await eventually(() => expect(receiver.received).not.toHaveLength(0));
    expect(receiver.received[0]?.path).toBe('/in?team=7&token=s3cretOfAnEndpoint');
  });

  it('of basic webhooks is stored and masked in the same way', async () => {
    const headers = await createTenant(server);
    const receiver = await startReceiver();
    const rawNotificationUrl = `${receiver.url}/raw?key=s3cretOfTheRaw`;
    const config = { useWebhookService: true, webhookServiceConfig: { rawNotificationUrl } };
    const path = '/v2/workspace/webhookconfig/update';
    const shown = await server.ok(path, config, headers);
    expect(shown.webhookServiceConfig.rawNotificationUrl).toBe(masked(rawNotificationUrl));
    expect(await isStored('service_settings', 's3cretOfTheRaw')).toBe(false);
    expect(await server.ok(path, shown, headers)).toEqual(shown);
    const changed = structuredClone(shown);
    changed.webhookServiceConfig.rawNotificationUrl += 'x';
    expect(failureOf(await server.call(path, changed, headers)).status).toBe('INVALID_ARGUMENT');
    await addDocument(headers);
    await eventually(() => expect(receiver.received).not.toHaveLength(0));
    expect(receiver.received[0]?.path).toBe('/raw?key=s3cretOfTheRaw');
  });
});

it('a delivery carries the event as in events/get, with a signature that both libraries accept', async () => {
  const headers = await webhookTenant(server);
  const receiver = await startReceiver();
  const { id } = await createEndpoint(server, headers, { url: `${receiver.url}/in?a=b` });
  const secret = await secretOf(server, headers, id);
  await addDocument(headers);
  await eventually(() => expect(receiver.received).toHaveLength(2));
  const events = await allEvents(server, {}, headers);
  expect(receiver.received.map(({ event }) => event)).toEqual(expect.arrayContaining(events));
  for (const { body, headers: sent, event, path } of receiver.received) {
    expect(path).toBe('/in?a=b');
    expect(sent['content-type']).toBe('application/json');
    expect(sent['webhook-id']).toBe(event.id);
    expect(new Webhook(secret).verify(body, sent)).toEqual(event);
    expect(new SvixWebhook(secret).verify(body, sent)).toEqual(event);
  }
  await eventually(async () => {
    const { deliveries } = await server.ok(PATHS.deliveries, {}, headers);
    const attempts = [{ statusCode: 200, error: null, excerpt: '' }];
    const delivered = { status: 'delivered', attempts };
    expect(deliveries).toMatchObject([delivered, delivered]);
  });
});

it('the receiver in the guide receives events', async () => {
  const [code = ''] = blocksOf(await readFile('docs/webhooks.md', 'utf8'), 'ts');
  expect(code).toContain('verifyWebhook');
  const folder = await makeUserProject();
  await mkdir(path.join(folder, '.data'));
  await writeFile(path.join(folder, '.data/quickstart.json'), JSON.stringify(server.quickstart));
  const port = await freePort();
  const receiver = await startExample(folder, 'ts', code.replaceAll('4000', String(port)), {});
  whenFileEnds(receiver.end);
  await eventually(() => fetch(`http://127.0.0.1:${port}/`));
  await organize(server, 'acme', { documents: ['launch'] });
  await eventually(() => expect(receiver.printed()).toMatch(/^\w{20} document\.add launch$/m));
});
