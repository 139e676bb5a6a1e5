import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import { userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { attachmentsOf, HELLO, send, sha256, TEXT } from '../../support/attachments.ts';
import { eventsOf } from '../../support/events.ts';
import { createTenant, startTestServer, testServer } from '../../support/server.ts';

const START = 1_800_000_000_000;
const HOUR = 3_600_000;
let now = START;

const clock = { now: () => now };
const server = testServer({ ROLES: 'api', ATTACHMENT_LIMIT_BYTES: '1000' }, { clock });
const files = attachmentsOf(server);

const notFound = { http: 400, status: 'INVALID_ARGUMENT', reason: 'attachment_not_found' };
const precondition = { http: 400, status: 'FAILED_PRECONDITION', reason: undefined };
const denied = { http: 403, status: 'PERMISSION_DENIED' };

/** The names of all files that are kept for the key of the tests. */
const keptFiles = async () => {
  const folder = path.join(server.dataDir, 'files', server.quickstart.apiKey);
  return readdir(folder).catch((): string[] => []);
};

const onPlan = ({ organizationId }: { organizationId: string }, accessRole: string) => [
  { type: 'document', id: 'plan', organizationId, accessRole },
];

describe('an attachment', () => {
  it('is uploaded, completed, published, downloaded under its name, and deleted', async () => {
    const place = await files.newPlace();
    const link = await files.announce(place, { checksum: sha256(HELLO), userId: 'ada' });
    expect(link).toEqual({
      attachmentId: expect.any(String),
      url: expect.stringContaining(`${server.url}/files/`),
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      expiresAt: START / 1000 + 3600,
    });
    expect((await send(link)).status).toBe(200);
    const attachment = { ...place, attachmentId: link.attachmentId };
    const completed = dataOf(await files.complete(attachment));
    expect(completed).toEqual({
      ...{ ...TEXT, attachmentId: link.attachmentId, checksum: sha256(HELLO), userId: 'ada' },
      ...{ createdAt: START, isApproved: true },
      metadata: { apiKey: server.quickstart.apiKey, ...place },
    });
    const { url, expiresAt, ...shown } = dataOf(await files.get(attachment));
    expect(shown).toEqual(completed);
    expect(expiresAt).toBe(START / 1000 + 300);
    const download = await fetch(url);
    expect(await download.text()).toBe('hello');
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'content-disposition': `attachment; filename="notes.txt"; filename*=UTF-8''notes.txt`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    });
    expect((await files.delete(attachment)).status).toBe(200);
    for (const again of [files.get, files.complete, files.delete]) {
      expect(failureOf(await again(attachment))).toEqual(notFound);
    }
    const events = await eventsOf(server, place.organizationId, [
      'attachment.add',
      'attachment.delete',
    ]);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['attachment.add', completed],
      ['attachment.delete', completed],
    ]);
    await removeFiles(server.app.services);
    expect(await keptFiles()).not.toContain(link.attachmentId);
    expect(failureOf({ ...(await jsonOf(url)) })).toMatchObject({ http: 404, status: 'NOT_FOUND' });
  });

  it('cannot be downloaded before it is completed, nor completed before it is uploaded', async () => {
    const place = await files.newPlace();
    const link = await files.announce(place);
    const attachment = { ...place, attachmentId: link.attachmentId };
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
    await send(link);
    expect(failureOf(await files.get(attachment))).toEqual(precondition);
    expect(await eventsOf(server, place.organizationId, ['attachment.add'])).toEqual([]);
  });

  it('is completed once, however many calls do it at the same time', async () => {
    const place = await files.newPlace();
    const link = await files.announce(place);
    await send(link);
    const attachment = { ...place, attachmentId: link.attachmentId };
    const answers = await Promise.all([1, 2, 3, 4].map(() => files.complete(attachment)));
    expect(new Set(answers.map((answer) => JSON.stringify(dataOf(answer)))).size).toBe(1);
    expect(await eventsOf(server, place.organizationId, ['attachment.add'])).toHaveLength(1);
  });

  it('is removed after two hours when it is not completed, and stays otherwise', async () => {
    const place = await files.newPlace();
    const stays = await files.upload(place);
    const link = await files.announce(place);
    await send(link);
    const forgotten = { ...place, attachmentId: link.attachmentId };
    now += 2 * HOUR - 1;
    await removeFiles(server.app.services);
    expect(await keptFiles()).toContain(link.attachmentId);
    now += 1;
    expect(failureOf(await files.complete(forgotten))).toEqual(notFound);
    await removeFiles(server.app.services);
    now = START;
    const kept = await keptFiles();
    expect([kept.includes(link.attachmentId), kept.includes(stays.attachmentId)]).toEqual([
      false,
      true,
    ]);
    expect(dataOf(await files.get(stays)).name).toBe(TEXT.name);
  });

  it('is deleted with its document, also where one of the same id follows', async () => {
    const place = await files.newPlace();
    const { attachmentId } = await files.upload(place);
    const { organizationId } = place;
    const documents = { organizationId, documentIds: ['plan'] };
    dataOf(await server.call('/v2/organizations/documents/delete', documents));
    await removeFiles(server.app.services);
    expect(await keptFiles()).not.toContain(attachmentId);
    const again = { organizationId, documents: [{ documentId: 'plan' }] };
    dataOf(await server.call('/v2/organizations/documents/add', again));
    expect(failureOf(await files.get({ ...place, attachmentId }))).toEqual(notFound);
  });
});

describe('attachments/create_upload', () => {
  it.each([
    ['name', ''],
    ['name', '../../etc/passwd'],
    ['name', 'C:\\boot.ini'],
    ['name', '..'],
    ['name', 'a\r\nset-cookie: b=c'],
    ['name', 'n'.repeat(256)],
    ['size', 0],
    ['size', -1],
    ['size', 1.5],
    ['size', 1001],
    ['type', 'text/html'],
    ['type', 'text'],
    ['type', 'text/plain\r\nx-injected: 1'],
    ['checksum', 'abc'],
    ['userId', ''],
  ])('refuses %s %j, and stores nothing', async (field, value) => {
    const place = await files.newPlace();
    const answer = await files.create({ ...place, ...TEXT, [field]: value });
    expect(answer.body).toEqual(invalid(field));
  });

  it('is refused above the storage quota, which counts the bytes of files', async () => {
    const place = await files.newPlace();
    const { apiKey } = server.quickstart;
    const quotas = { apiKey, storageBytes: 2_000_000_000 };
    const path = '/v2/workspace/apikey/quotas';
    dataOf(await server.call(`${path}/update`, quotas, server.adminHeaders));
    const used = async () => {
      const all = dataOf(await server.call(`${path}/get`, { apiKey }, server.adminHeaders));
      return all.storageBytes.used;
    };
    await files.announce(place, { size: 1000 });
    await server.app.services.quotas.stop();
    const before = await used();
    expect(before).toBeGreaterThan(1000);
    dataOf(
      await server.call(
        `${path}/update`,
        { apiKey, storageBytes: before + 900 },
        server.adminHeaders,
      ),
    );
    const refused = await files.create({ ...place, ...TEXT, size: 1000 });
    expect(failureOf(refused)).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
    dataOf(await server.call(`${path}/update`, { apiKey, storageBytes: 0 }, server.adminHeaders));
  });
});

describe('with a user token, an attachment', () => {
  it('is uploaded by editors, who count as its author, and downloaded by readers', async () => {
    const place = await files.newPlace('restricted');
    const [viewer, editor] = [fresh('viewer'), fresh('editor')];
    const asViewer = await userHeaders(server, viewer, onPlan(place, 'viewer'));
    const asEditor = await userHeaders(server, editor, onPlan(place, 'editor'));
    const stranger = await userHeaders(server, fresh('stranger'), []);
    const theirs = await createTenant(server);
    expect(failureOf(await files.create({ ...place, ...TEXT }, asViewer))).toMatchObject(denied);
    const named = { userId: viewer };
    const attachment = await files.upload(place, HELLO, named, asEditor);
    expect(dataOf(await files.get(attachment, asViewer)).userId).toBe(editor);
    expect(failureOf(await files.delete(attachment, asViewer))).toMatchObject(denied);
    expect(failureOf(await files.get(attachment, stranger))).toMatchObject(denied);
    expect(failureOf(await files.get(attachment, theirs)).reason).toBe('organization_not_found');
    const elsewhere = { ...attachment, documentId: 'other' };
    expect(failureOf(await files.get(elsewhere))).toEqual(notFound);
    expect((await files.delete(attachment, asEditor)).status).toBe(200);
  });

  it('waits for an API key where the key asks for approval', async () => {
    const place = await files.newPlace('restricted');
    const asEditor = await userHeaders(server, fresh('editor'), onPlan(place, 'editor'));
    const config = '/v2/workspace/apikeyconfig/update';
    dataOf(await server.call(config, { requireAttachmentApproval: true }));
    const [good, bad] = [
      await files.upload(place, HELLO, {}, asEditor),
      await files.upload(place, HELLO, {}, asEditor),
    ];
    expect(failureOf(await files.get(good, asEditor))).toEqual(precondition);
    const [event] = await eventsOf(server, place.organizationId, ['attachment.add']);
    expect(event?.data).toMatchObject({ attachmentId: good.attachmentId, isApproved: false });
    const scanned = await fetch(dataOf(await files.get(good)).url);
    expect(await scanned.text()).toBe('hello');
    expect(dataOf(await files.complete(good, asEditor)).isApproved).toBe(false);
    expect(dataOf(await files.complete(good)).isApproved).toBe(true);
    expect(dataOf(await files.complete(good, asEditor)).isApproved).toBe(true);
    expect((await fetch(dataOf(await files.get(good, asEditor)).url)).status).toBe(200);
    now += 24 * HOUR;
    expect(failureOf(await files.complete(bad))).toEqual(notFound);
    now = START;
    dataOf(await server.call(config, { requireAttachmentApproval: false }));
  });
});

describe('the link of an upload', () => {
  it('accepts the file once, and what is there stays', async () => {
    const place = await files.newPlace();
    const link = await files.announce(place);
    expect((await send(link)).status).toBe(200);
    const again = await send(link, Buffer.from('other'));
    expect([again.status, (await again.json()).error.status]).toEqual([409, 'ALREADY_EXISTS']);
    const attachment = { ...place, attachmentId: link.attachmentId };
    dataOf(await files.complete(attachment));
    expect(await (await fetch(dataOf(await files.get(attachment)).url)).text()).toBe('hello');
  });

  it('accepts one of several uploads at the same time', async () => {
    const link = await files.announce(await files.newPlace());
    const bodies = ['aaaaa', 'bbbbb', 'ccccc'].map((text) => Buffer.from(text));
    const answers = await Promise.all(bodies.map((body) => send(link, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const folder = path.join(server.dataDir, 'files', server.quickstart.apiKey, link.attachmentId);
    expect(await readdir(folder)).toEqual(['content']);
    const kept = bodies[answers.findIndex(({ status }) => status === 200)];
    expect(await readFile(path.join(folder, 'content'))).toEqual(kept);
  });

  it.each([
    ['one byte more', 'hello!', {}],
    ['one byte less', 'hell', {}],
    ['nothing', '', {}],
    ['another type', 'hello', { 'content-type': 'text/html' }],
    ['other content than the checksum says', 'hullo', {}],
  ])('refuses %s, and keeps nothing', async (_what, text, more) => {
    const place = await files.newPlace();
    const link = await files.announce(place, { checksum: sha256(HELLO) });
    const answer = await send(link, Buffer.from(text), more);
    expect([answer.status, (await answer.json()).error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    const attachment = { ...place, attachmentId: link.attachmentId };
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
    expect((await send(link)).status, 'the right file').toBe(200);
  });

  it('ends after an hour, and is of no use for other requests', async () => {
    const place = await files.newPlace();
    const link = await files.announce(place);
    expect((await jsonOf(link.url)).status, 'a download').toBe(403);
    const { url } = dataOf(await files.get(await files.upload(place)));
    expect((await send({ ...link, url })).status, 'an upload with the link of a download').toBe(
      403,
    );
    const forged = { ...link, url: `${link.url.slice(0, -4)}AAAA` };
    expect((await send(forged)).status, 'a forged link').toBe(403);
    now += HOUR;
    const late = await send(link);
    expect([late.status, (await late.json()).error.status]).toEqual([403, 'PERMISSION_DENIED']);
    expect((await jsonOf(url)).body.error.message).toContain('expired');
    now = START;
  });

  it('is allowed to browsers of other origins', async () => {
    const link = await files.announce(await files.newPlace());
    const origin = 'https://app.example.com';
    const preflight = await fetch(link.url, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PUT' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect((await send(link, HELLO, { origin })).headers.get('access-control-allow-origin')).toBe(
      origin,
    );
  });
});

describe('a download', () => {
  it('that has begun ends with the whole file although it is deleted, and is the last one', async () => {
    const large = await startTestServer();
    const files = attachmentsOf(large);
    const content = Buffer.alloc(20_000_000, 'hello');
    const attachment = await files.upload(await files.newPlace(), content);
    const { url } = dataOf(await files.get(attachment));
    const download = await fetch(url);
    dataOf(await files.delete(attachment));
    await removeFiles(large.app.services);
    expect((await fetch(url)).status).toBe(404);
    expect(failureOf(await files.get(attachment)).reason).toBe('attachment_not_found');
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(content));
  });
});

describe('the name of a downloaded file', () => {
  it.each([
    ['plain.txt', `filename="plain.txt"; filename*=UTF-8''plain.txt`],
    [
      'a"; filename="b.exe',
      `filename="a_; filename=_b.exe"; filename*=UTF-8''a%22%3B%20filename%3D%22b.exe`,
    ],
    ["it's (1)*%.txt", `filename="it's (1)*_.txt"; filename*=UTF-8''it%27s%20%281%29%2A%25.txt`],
    [
      'Plan für Ада 🚀.txt',
      `filename="Plan f_r ___ __.txt"; filename*=UTF-8''Plan%20f%C3%BCr%20%D0%90%D0%B4%D0%B0%20%F0%9F%9A%80.txt`,
    ],
  ])('%s is written so that no client misreads it', async (name, expected) => {
    const attachment = await files.upload(await files.newPlace(), HELLO, { name });
    const { url } = dataOf(await files.get(attachment));
    const { headers } = await fetch(url);
    expect(headers.get('content-disposition')).toBe(`attachment; ${expected}`);
  });
});

describe('a server of several processes', () => {
  it('refuses uploads where they share no place for files', async () => {
    const { services } = server.app;
    const { files: store } = services;
    Object.assign(services, { files: undefined });
    const refused = await files.create({ ...(await files.newPlace()), ...TEXT });
    Object.assign(services, { files: store });
    expect(failureOf(refused)).toEqual(precondition);
  });
});

async function jsonOf(url: string) {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('users/data/get', () => {
  it('holds what the user uploaded, each once, as far as the user may see the document', async () => {
    const place = await files.newPlace('restricted');
    const userId = fresh('user');
    const headers = await userHeaders(server, userId, onPlan(place, 'editor'));
    const uploaded = await Promise.all(
      ['plan', 'other'].map((documentId) =>
        files.upload({ ...place, documentId }, HELLO, { userId }),
      ),
    );
    const deleted = await files.upload(place, HELLO, { userId });
    await files.delete(deleted);
    await files.announce(place, { userId });
    await server.app.services.db.pool.query(
      `INSERT INTO attachments (tenant_id, organization_id, document_id, attachment_id, author_id,
         name, type, size, created_ms, completed)
       SELECT $1, $2, 'plan', 'more-' || n, $3, 'a', 'text/plain', 1, 1, true
       FROM generate_series(1, 150) AS n`,
      [server.quickstart.apiKey, place.organizationId, userId],
    );
    const read = async (own?: Record<string, string>) => {
      const ids: string[] = [];
      let pageToken: string | undefined;
      do {
        const { organizationId } = place;
        const data = { organizationId, userId, pageToken };
        const answer = await server.call('/v2/users/data/get', data, own);
        for (const one of dataOf(answer).attachments) ids.push(one.attachmentId);
        pageToken = answer.body.result.nextPageToken ?? undefined;
      } while (pageToken);
      return ids;
    };
    const all = await read();
    expect([all.length, new Set(all).size]).toEqual([152, 152]);
    expect(all).toEqual(expect.arrayContaining(uploaded.map((one) => one.attachmentId)));
    expect(await read(headers), 'without the document that the user may not see').toHaveLength(151);
  });
});
