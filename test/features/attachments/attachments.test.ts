import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import { newId } from '../../../src/platform/ids.ts';
import { annotationsOf, type Place, userHeaders } from '../../support/annotations.ts';
import { dataOf, failureOf, fresh, invalid } from '../../support/answers.ts';
import { attachmentsOf, HELLO, headOf, sendFile, sha256, TEXT } from '../../support/attachments.ts';
import { organize } from '../../support/directory.ts';
import { eventsOf } from '../../support/events.ts';
import { holdTransaction } from '../../support/hold-transaction.ts';
import { quotasOf, remaining } from '../../support/quotas.ts';
import { rawClient } from '../../support/raw-http.ts';
import { createTenant, startTestServer, testServer } from '../../support/server.ts';

const START = 1_800_000_000_000;
const HOUR = 3_600_000;
let now = START;

const clock = { now: () => now };
const server = testServer({ ROLES: 'api', ATTACHMENT_LIMIT_BYTES: '1000' }, { clock });
const files = attachmentsOf(server);

const notFound = { http: 400, status: 'INVALID_ARGUMENT', reason: 'attachment_not_found' };
const precondition = { http: 400, status: 'FAILED_PRECONDITION', reason: undefined };

/** The names of all files that are kept for the key of the tests. */
const keptFiles = async () => {
  const folder = path.join(server.dataDir, 'files', server.quickstart.apiKey);
  return readdir(folder).catch((): string[] => []);
};

function requireStore() {
  const store = server.app.services.files;
  if (!store) throw new Error('The server keeps no files.');
  return store;
}

const threads = annotationsOf(server);

const from = { userId: 'ada' };
const comments = '/v2/commentannotations/comments';

/** A thread with a first comment that names these attachments. */
async function addThread(place: Place, attachments: unknown[]) {
  const annotationId = fresh('thread');
  const commentData = [{ commentText: 'See this', from, attachments }];
  const answer = await threads.add(place, [{ annotationId, commentData }]);
  return { outcome: dataOf(answer)[annotationId], thread: { ...place, annotationId } };
}

const attachmentsIn = async (thread: object) => {
  const shown = await server.ok(`${comments}/get`, thread);
  return shown.map((comment: { attachments: unknown[] }) => comment.attachments);
};

const isGone = async (attachment: object) =>
  failureOf(await files.get(attachment)).reason === 'attachment_not_found';

const onPlan = ({ organizationId }: { organizationId: string }, accessRole: string) => [
  { type: 'document', id: 'plan', organizationId, accessRole },
];

describe('an attachment', () => {
  it('is uploaded, completed, published, downloaded under its name, and deleted', async () => {
    const announced = { checksum: sha256(HELLO), userId: 'ada' };
    const { place, link, attachment } = await files.announceSomewhere(announced);
    expect(link).toEqual({
      attachmentId: expect.any(String),
      url: expect.stringContaining(`${server.url}/files/`),
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      expiresAt: START / 1000 + 3600,
    });
    expect((await sendFile(link)).status).toBe(200);
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
    const types = ['attachment.add', 'attachment.delete'];
    const events = await eventsOf(server, place.organizationId, types);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['attachment.add', completed],
      ['attachment.delete', completed],
    ]);
    await removeFiles(server.app.services);
    expect(await keptFiles()).not.toContain(link.attachmentId);
    expect(failureOf(await jsonOf(url))).toMatchObject({ http: 404, status: 'NOT_FOUND' });
  });

  it('is completed once, however many calls do it, after it is uploaded, and downloaded after that', async () => {
    const { place, link, attachment } = await files.announceSomewhere();
    const published = () => eventsOf(server, place.organizationId, ['attachment.add']);
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
    await sendFile(link);
    expect(failureOf(await files.get(attachment))).toEqual(precondition);
    expect(await published()).toEqual([]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => files.complete(attachment)));
    expect(new Set(answers.map((answer) => JSON.stringify(dataOf(answer)))).size).toBe(1);
    expect(await published()).toHaveLength(1);
  });

  it('is removed after two hours if it is not completed, or uploaded after its deletion, and stays otherwise', async () => {
    const { place, link, attachment: forgotten } = await files.announceSomewhere();
    const stays = await files.upload(place);
    await sendFile(link);
    const deleted = await files.announce(place);
    dataOf(await files.delete({ ...place, attachmentId: deleted.attachmentId }));
    await removeFiles(server.app.services);
    expect((await sendFile(deleted)).status).toBe(200);
    now += 2 * HOUR - 1;
    await removeFiles(server.app.services);
    const all = [link.attachmentId, deleted.attachmentId, stays.attachmentId];
    expect(await keptFiles()).toEqual(expect.arrayContaining(all));
    now += 1;
    expect(failureOf(await files.complete(forgotten))).toEqual(notFound);
    await removeFiles(server.app.services);
    now = START;
    const kept = await keptFiles();
    expect(all.filter((id) => kept.includes(id))).toEqual([stays.attachmentId]);
    expect(dataOf(await files.get(stays)).name).toBe(TEXT.name);
  });

  it('stays when it is completed just before the two hours end, and its removal begins before the commit', async () => {
    const { link, attachment } = await files.announceSomewhere();
    await sendFile(link);
    const completing = await holdTransaction(
      server.databaseUrl,
      'UPDATE attachments SET completed = true, remove_at = NULL WHERE attachment_id = $1',
      [link.attachmentId],
    );
    now += 2 * HOUR;
    const removing = removeFiles(server.app.services);
    await Promise.race([removing, completing.holdsUp(1)]);
    await completing.release();
    await removing;
    now = START;
    expect(await keptFiles()).toContain(link.attachmentId);
    expect(dataOf(await files.get(attachment)).name).toBe(TEXT.name);
  });

  it('is not completed after its removal has begun', async () => {
    const { place, link, attachment } = await files.announceSomewhere();
    await sendFile(link);
    const document = await holdTransaction(
      server.databaseUrl,
      'SELECT FROM documents WHERE organization_id = $1 AND document_id = $2 FOR UPDATE',
      [place.organizationId, place.documentId],
    );
    now += 2 * HOUR - 1;
    const completing = files.complete(attachment);
    await document.holdsUp(1);
    now += 1;
    const store = requireStore();
    const remove = store.remove.bind(store);
    const spy = vi.spyOn(store, 'remove').mockImplementation(async (key) => {
      await document.release();
      await completing;
      await remove(key);
    });
    await removeFiles(server.app.services);
    spy.mockRestore();
    now = START;
    expect(failureOf(await completing)).toEqual(notFound);
    expect(failureOf(await files.get(attachment))).toEqual(notFound);
  });

  it('is removed although many files that are due before it cannot be removed', async () => {
    const place = await files.newPlace();
    const stuck = await Promise.all(Array.from({ length: 50 }, () => files.announce(place)));
    now += 1;
    const link = await files.announce(place);
    await sendFile(link);
    now += 2 * HOUR;
    const store = requireStore();
    const remove = store.remove.bind(store);
    const spy = vi.spyOn(store, 'remove').mockImplementation(async (key) => {
      if (stuck.some(({ attachmentId }) => key.endsWith(attachmentId))) throw new Error('Stuck.');
      await remove(key);
    });
    await expect(removeFiles(server.app.services)).rejects.toThrow('Stuck.');
    expect(await keptFiles()).not.toContain(link.attachmentId);
    spy.mockRestore();
    await removeFiles(server.app.services);
    now = START;
  });

  it('is deleted with its document, also where one of the same id follows', async () => {
    const place = await files.newPlace();
    const { attachmentId } = await files.upload(place);
    const { organizationId } = place;
    const documents = { organizationId, documentIds: ['plan'] };
    await server.ok('/v2/organizations/documents/delete', documents);
    await removeFiles(server.app.services);
    expect(await keptFiles()).not.toContain(attachmentId);
    await organize(server, organizationId, { documents: ['plan'] });
    expect(failureOf(await files.get({ ...place, attachmentId }))).toEqual(notFound);
  });
});

describe('attachments/create_upload', () => {
  const names = ['', '../a', 'C:\\a', '..', 'a\r\nset-cookie: b=c', 'n'.repeat(256)];
  const types = ['text/html', 'text', 'text/plain\r\nx-injected: 1'];
  it.each<[field: string, values: unknown[]]>([
    ['name', names],
    ['size', [0, -1, 1.5, 1001]],
    ['type', types],
    ['checksum', ['abc']],
    ['userId', ['']],
  ])('refuses an invalid %s: %j', async (field, values) => {
    const place = await files.newPlace();
    for (const value of values) {
      const { body } = await files.create({ ...place, ...TEXT, [field]: value });
      expect(body).toEqual(invalid(field));
    }
  });

  it('takes of the storage quota the bytes of announced files, and is refused above it', async () => {
    const place = await files.newPlace();
    const create = (documentId = 'plan') =>
      files.create({ ...place, documentId, ...TEXT, size: 1000 });
    const quotas = quotasOf(server, server.keyHeaders);
    await quotas.set({ storageBytes: 2_000_000_000 });
    const left = async (documentId?: string) => remaining(await create(documentId)).storage ?? 0;
    const before = await left();
    expect(await left('missing')).toBe(before);
    expect(await left()).toBeLessThanOrEqual(before - 1000);
    await server.app.services.quotas.stop();
    const { used } = (await quotas.get()).storageBytes;
    expect(used).toBeGreaterThan(1000);
    await quotas.set({ storageBytes: used + 900 });
    const refused = await create();
    expect(failureOf(refused)).toMatchObject({ http: 429, status: 'RESOURCE_EXHAUSTED' });
    await quotas.set({ storageBytes: 0 });
  });
});

describe('with a user token, an attachment', () => {
  it('belongs to the user and the document, and is read by viewers', async () => {
    const place = await files.newPlace('restricted');
    const [viewer, editor] = [fresh('viewer'), fresh('editor')];
    const asEditor = await userHeaders(server, editor, onPlan(place, 'editor'));
    const attachment = await files.upload(place, HELLO, { userId: viewer }, asEditor);
    const asViewer = await userHeaders(server, viewer, onPlan(place, 'viewer'));
    expect(dataOf(await files.get(attachment, asViewer)).userId).toBe(editor);
    const elsewhere = { ...attachment, documentId: 'other' };
    expect(failureOf(await files.get(elsewhere))).toEqual(notFound);
  });

  it('waits for an API key where the key asks for approval', async () => {
    const place = await files.newPlace('restricted');
    const asEditor = await userHeaders(server, fresh('editor'), onPlan(place, 'editor'));
    const config = '/v2/workspace/apikeyconfig/update';
    await server.ok(config, { requireAttachmentApproval: true });
    const upload = () => files.upload(place, HELLO, {}, asEditor);
    const [good, bad] = [await upload(), await upload()];
    expect(failureOf(await files.get(good, asEditor))).toEqual(precondition);
    const [event] = await eventsOf(server, place.organizationId, ['attachment.add']);
    expect(event?.data).toMatchObject({ attachmentId: good.attachmentId, isApproved: false });
    const scanned = await fetch(dataOf(await files.get(good)).url);
    expect(await scanned.text()).toBe('hello');
    expect(dataOf(await files.complete(good, asEditor)).isApproved).toBe(false);
    expect(dataOf(await files.complete(good)).isApproved).toBe(true);
    expect(dataOf(await files.complete(good, asEditor)).isApproved).toBe(true);
    expect((await fetch(dataOf(await files.get(good, asEditor)).url)).status).toBe(200);
    now += 23 * HOUR;
    expect(dataOf(await files.complete(bad, asEditor)).isApproved).toBe(false);
    now += HOUR;
    expect(failureOf(await files.complete(bad))).toEqual(notFound);
    now = START;
    await server.ok(config, { requireAttachmentApproval: false });
  });
});

describe('the link of an upload', () => {
  /** Where the server keeps the uploaded file. */
  const folderOf = ({ attachmentId }: { attachmentId: string }) =>
    path.join(server.dataDir, 'files', server.quickstart.apiKey, attachmentId);

  it('leaves nothing of earlier uploads whose process was killed', async () => {
    const { link } = await files.announceSomewhere();
    await mkdir(folderOf(link), { recursive: true });
    await writeFile(path.join(folderOf(link), newId()), 'hel');
    expect((await sendFile(link)).status).toBe(200);
    expect(await readdir(folderOf(link))).toEqual(['content']);
  });

  it('accepts one of several uploads at the same time, none later, and what is there stays', async () => {
    const { link } = await files.announceSomewhere();
    const bodies = ['aaaaa', 'bbbbb', 'ccccc'].map((text) => Buffer.from(text));
    const answers = await Promise.all(bodies.map((body) => sendFile(link, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const again = await sendFile(link, Buffer.from('other'));
    expect([again.status, (await again.json()).error.status]).toEqual([409, 'ALREADY_EXISTS']);
    expect(await readdir(folderOf(link))).toEqual(['content']);
    const kept = bodies[answers.findIndex(({ status }) => status === 200)];
    expect(await readFile(path.join(folderOf(link), 'content'))).toEqual(kept);
  });

  it.each([
    ['one byte more', 'hello!', {}],
    ['one byte less', 'hell', {}],
    ['another type', 'hello', { 'content-type': 'text/html' }],
    ['other content than the checksum says', 'hullo', {}],
  ])('refuses %s, and keeps nothing', async (_what, text, more) => {
    const { link, attachment } = await files.announceSomewhere({ checksum: sha256(HELLO) });
    const answer = await sendFile(link, Buffer.from(text), more);
    expect([answer.status, (await answer.json()).error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
    expect((await sendFile(link)).status, 'the right file').toBe(200);
  });

  it('ends after an hour, and is of no use for other requests', async () => {
    const { place, link } = await files.announceSomewhere();
    expect((await jsonOf(link.url)).status, 'a download').toBe(403);
    const { url } = dataOf(await files.get(await files.upload(place)));
    const mixed = await sendFile({ ...link, url });
    expect(mixed.status, 'an upload with the link of a download').toBe(403);
    const forged = { ...link, url: `${link.url.slice(0, -4)}AAAA` };
    expect((await sendFile(forged)).status, 'a forged link').toBe(403);
    now += HOUR;
    const late = await sendFile(link);
    expect([late.status, (await late.json()).error.status]).toEqual([403, 'PERMISSION_DENIED']);
    expect((await jsonOf(url)).body.error.message).toContain('expired');
    now = START;
  });

  it('that expires during an upload ends it for this reason', async () => {
    const link = await files.announce(await files.newPlace());
    now += HOUR - 200;
    const client = await rawClient(server.url);
    await client.send(`${headOf(link, { 'content-length': '5' })}hel`);
    const answer = await client.answer();
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body).error.message).toContain('The link has expired');
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
    const { headers } = await sendFile(link, HELLO, { origin });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
  });
});

it('a download that has begun ends with the whole file although it is deleted, and is the last one', async () => {
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

it('the name of a downloaded file is written so that no client misreads it', async () => {
  const place = await files.newPlace();
  for (const [name, ascii, encoded] of [
    ['plain.txt', 'plain.txt', 'plain.txt'],
    ['a"; filename="b.exe', 'a_; filename=_b.exe', 'a%22%3B%20filename%3D%22b.exe'],
    ["it's (1)*%.txt", "it's (1)*_.txt", 'it%27s%20%281%29%2A%25.txt'],
    ['für Ада 🚀.txt', 'f_r ___ __.txt', 'f%C3%BCr%20%D0%90%D0%B4%D0%B0%20%F0%9F%9A%80.txt'],
  ]) {
    const { url } = dataOf(await files.get(await files.upload(place, HELLO, { name })));
    const { headers } = await fetch(url);
    const expected = `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
    expect(headers.get('content-disposition')).toBe(expected);
  }
});

it('a server of several processes refuses uploads where they share no place for files', async () => {
  const { services } = server.app;
  const { files: store } = services;
  Object.assign(services, { files: undefined });
  const refused = await files.create({ ...(await files.newPlace()), ...TEXT });
  Object.assign(services, { files: store });
  expect(failureOf(refused)).toEqual(precondition);
});

async function jsonOf(url: string) {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('a comment', () => {
  it('shows the facts of the attachments that it names, and any other entry as it was given', async () => {
    const place = await files.newPlace();
    const { attachmentId } = await files.upload(place);
    const own = { attachmentId: 'mine', url: 'https://cdn.example.com/a.png', name: 'a.png' };
    const given = { attachmentId, caption: 'Notes', name: 'other.exe', size: 1 };
    const { thread } = await addThread(place, [given, own, 'text', 7, null]);
    const shown = { ...TEXT, attachmentId, caption: 'Notes' };
    expect(await attachmentsIn(thread)).toEqual([[shown, own, 'text', 7, null]]);
    const more = { commentId: 2, from, attachments: [{ attachmentId }] };
    await server.ok(`${comments}/add`, { ...thread, commentData: [more] });
    const changed = { commentId: 1, attachments: [{ attachmentId }] };
    await server.ok(`${comments}/update`, { ...thread, commentData: [changed] });
    const bare = { ...TEXT, attachmentId };
    expect(await attachmentsIn(thread)).toEqual([[bare], [bare]]);
  });

  it('names only completed attachments of its document', async () => {
    const place = await files.newPlace();
    const elsewhere = await files.upload({ ...place, documentId: 'other' });
    const { attachmentId: pending } = await files.announce(place);
    const deleted = await files.upload(place);
    await files.delete(deleted);
    const ofOthers = await files.upload(await files.newPlace());
    const theirs = await createTenant(server);
    const theirPlace = { organizationId: 'theirs', documentId: 'plan' };
    await organize(server, 'theirs', { documents: ['plan'] }, theirs);
    const ofOtherKey = await files.upload(theirPlace, undefined, {}, theirs);
    const { thread } = await addThread(place, []);
    const others = [elsewhere, deleted, ofOthers, ofOtherKey].map((each) => each.attachmentId);
    for (const attachmentId of [...others, pending, '../a']) {
      const attachments = [{}, { attachmentId }];
      const { outcome } = await addThread(place, attachments);
      expect(outcome).toMatchObject({ success: false });
      expect(outcome.message).toContain('attachments[1].attachmentId');
      const added = { ...thread, commentData: [{ from }, { from, attachments }] };
      const path = 'commentData[1].attachments[1].attachmentId';
      expect((await server.call(`${comments}/add`, added)).body).toMatchObject(invalid(path));
      const changed = { ...thread, commentData: [{ commentId: 1, attachments }] };
      expect((await server.call(`${comments}/update`, changed)).body).toMatchObject(
        invalid('commentData[0].attachments[1].attachmentId'),
      );
    }
    expect(await attachmentsIn(thread)).toEqual([[]]);
  });

  it('takes its attachments with it when it is deleted, alone or with its thread', async () => {
    const place = await files.newPlace();
    const [first, second, other] = await Promise.all([1, 2, 3].map(() => files.upload(place)));
    const named = (attachment: { attachmentId?: string } | undefined) => [
      { attachmentId: attachment?.attachmentId },
    ];
    const { thread } = await addThread(place, named(first));
    const commentData = [{ from, attachments: named(second) }];
    await server.ok(`${comments}/add`, { ...thread, commentData });
    await server.ok(`${comments}/delete`, { ...thread, commentIds: [2] });
    const gone = () => Promise.all([first, second, other].map((one) => isGone(one ?? {})));
    expect(await gone()).toEqual([false, true, false]);
    const annotationIds = [thread.annotationId];
    await server.ok('/v2/commentannotations/delete', { ...place, annotationIds });
    expect(await gone()).toEqual([true, true, false]);
  });
});

describe('the attachment of a comment', () => {
  /** A file of Ada in a place where threads may be private, with the headers of three editors. */
  async function uploadByAda() {
    await server.ok('/v2/workspace/apikeyconfig/update', { enablePrivateComments: true });
    const place = await files.newPlace();
    const role = onPlan(place, 'editor');
    const editor = (userId: string) => userHeaders(server, userId, role);
    const [ada, bob, eve] = await Promise.all([editor('ada'), editor('bob'), editor('eve')]);
    return { place, ada, bob, eve, attachment: await files.upload(place, HELLO, {}, ada) };
  }

  it('is for the users who see one of the comments that name it, and for its author', async () => {
    const { place, ada, bob, eve, attachment } = await uploadByAda();
    const attachments = [{ attachmentId: attachment.attachmentId }];
    const commentData = [{ commentText: 'For Bob', attachments }];
    const add = async (annotation: object, headers = ada) =>
      dataOf(await threads.add(place, [annotation], {}, headers));
    const reasonOf = async (headers: Record<string, string> = {}) =>
      failureOf(await files.get(attachment, headers)).reason;
    const visibility = { type: 'restricted', userIds: ['bob'] };
    await add({ annotationId: fresh('to-bob'), visibility, commentData });
    expect((await files.get(attachment, ada)).status).toBe(200);
    expect((await files.get(attachment, bob)).status).toBe(200);
    expect(await reasonOf(eve)).toBe('attachment_not_found');
    const missing = await files.get({ ...attachment, attachmentId: 'none' }, eve);
    for (const use of [files.get, files.complete, files.delete]) {
      const hidden = await use(attachment, eve);
      expect(hidden.body).toEqual(missing.body);
    }
    expect((await files.get(attachment)).status).toBe(200);

    // Whoever learned the id opens the file to nobody by naming it.
    await add({ annotationId: fresh('by-eve'), commentData }, eve);
    expect(await reasonOf(eve)).toBe('attachment_not_found');

    const open = { ...place, annotationId: fresh('open') };
    await add({ annotationId: open.annotationId, commentData: [{}] });
    await server.ok(`${comments}/add`, { ...open, commentData }, ada);
    expect((await files.get(attachment, eve)).status).toBe(200);
  });

  it('stays closed when its thread is deleted, and another one uses the id of the thread', async () => {
    const { place, ada, bob, eve, attachment } = await uploadByAda();
    const annotationId = fresh('to-bob');
    const visibility = { type: 'restricted', userIds: ['bob'] };
    const commentData = [{ commentText: 'For Bob', attachments: [attachment] }];
    const add = async (annotation: object, headers = ada) =>
      dataOf(await threads.add(place, [{ annotationId, ...annotation }], {}, headers));
    await add({ visibility, commentData: [{ commentText: 'Hello' }] }, bob);
    await server.ok(`${comments}/add`, { ...place, annotationId, commentData }, bob);
    const byEve = async () => failureOf(await files.get(attachment, eve)).reason;
    expect((await files.get(attachment, bob)).status).toBe(200);
    const named = { ...place, annotationIds: [annotationId] };
    await server.ok('/v2/commentannotations/delete', named, bob);
    await add({ commentData: [{ commentText: 'Hello' }] }, eve);
    expect(await byEve()).toBe('attachment_not_found');
    expect((await files.get(attachment, ada)).status).toBe(200);
  });

  it('is deleted by users who may only comment if they uploaded it', async () => {
    const place = await files.newPlace();
    const documents = [{ documentId: 'plan', commentAccess: 'viewers' }];
    const { organizationId } = place;
    await server.ok('/v2/organizations/documents/update', { organizationId, documents });
    const viewer = await userHeaders(server, fresh('viewer'), onPlan(place, 'viewer'));
    const [own, other] = [await files.upload(place, HELLO, {}, viewer), await files.upload(place)];
    expect((await files.delete(own, viewer)).status).toBe(200);
    expect(failureOf(await files.delete(other, viewer)).status).toBe('PERMISSION_DENIED');
  });
});
