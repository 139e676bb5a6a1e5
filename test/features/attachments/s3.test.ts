import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { removeFiles } from '../../../src/features/attachments/remove-files.ts';
import { S3Store } from '../../../src/platform/files/s3-store.ts';
import { dataOf, failureOf } from '../../support/answers.ts';
import { attachmentsOf, HELLO, sendFile, sha256 } from '../../support/attachments.ts';
import { listen } from '../../support/listen.ts';
import { startS3 } from '../../support/s3-server.ts';
import { startTestServer } from '../../support/server.ts';

const settings = await startS3();
const server = await startTestServer({
  ...{ ROLES: 'api', S3_ENDPOINT: settings.endpoint, S3_BUCKET: settings.bucket },
  ...{ S3_ACCESS_KEY_ID: settings.accessKeyId, S3_SECRET_ACCESS_KEY: settings.secretAccessKey },
});
const files = attachmentsOf(server);

const file = { key: 'tenant/file', name: 'a.txt', type: 'text/plain', size: HELLO.length };
const precondition = { http: 400, status: 'FAILED_PRECONDITION', reason: undefined };

describe('an attachment in a bucket', () => {
  it('goes there by a signed link, is compared, downloaded under its name, and removed', async () => {
    const checksum = sha256(HELLO);
    const disposition = `attachment; filename="Pl_ne.txt"; filename*=UTF-8''Pl%C3%A4ne.txt`;
    const named = { name: 'Pläne.txt', checksum };
    const { link, attachment } = await files.announceSomewhere(named);
    expect(link.url.startsWith(`${settings.endpoint}/${settings.bucket}/`)).toBe(true);
    expect(link.headers).toEqual({
      'content-type': 'text/plain',
      'content-disposition': disposition,
      'if-none-match': '*',
      'x-amz-checksum-sha256': Buffer.from(checksum, 'hex').toString('base64'),
    });
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
    expect((await sendFile(link)).status).toBe(200);
    dataOf(await files.complete(attachment));
    const { url } = dataOf(await files.get(attachment));
    const download = await fetch(url);
    expect(await download.text()).toBe('hello');
    expect(download.headers.get('content-disposition')).toBe(disposition);
    await files.delete(attachment);
    await removeFiles(server.app.services);
    expect((await fetch(url)).status).toBe(404);
  });

  it.each([
    ['another length', 'hello!', {}],
    ['another type', 'hello', { 'content-type': 'text/html' }],
    ['another checksum', 'hello', { 'x-amz-checksum-sha256': 'AAAA' }],
    ['the permission to replace', 'hello', { 'if-none-match': '"a"' }],
  ])('is refused with %s than was signed', async (_what, text, more) => {
    const { link, attachment } = await files.announceSomewhere({ checksum: sha256(HELLO) });
    expect((await sendFile(link, Buffer.from(text), more)).status).toBe(403);
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
  });

  it('is not completed with other content than the checksum says', async () => {
    const { link, attachment } = await files.announceSomewhere({ checksum: sha256(HELLO) });
    // This store does not compare checksums.
    expect((await sendFile(link, Buffer.from('hullo'))).status).toBe(200);
    expect(failureOf(await files.complete(attachment))).toEqual(precondition);
  });

  it('is missing, and not another file, when it is removed while it is compared', async () => {
    // Answers HEAD for a file of which GET finds nothing any more.
    const store = createServer((request, response) => {
      if (request.method === 'HEAD') response.writeHead(200, { 'content-length': HELLO.length });
      else response.writeHead(404);
      response.end();
    });
    const endpoint = await listen(store);
    const compared = { ...file, checksum: sha256(HELLO) };
    expect(await new S3Store({ ...settings, endpoint }).compare(compared)).toBe('missing');
  });

  it('is refused with a link that was changed', async () => {
    const link = await files.announce(await files.newPlace());
    const url = link.url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800');
    expect((await sendFile({ ...link, url })).status).toBe(403);
  });

  it('is not taken for stored where the bucket does not exist', async () => {
    const store = new S3Store({ ...settings, bucket: 'missing' });
    const stored = store.put({ ...file, checksum: null }, Readable.from([HELLO]));
    await expect(stored).rejects.toMatchObject({ status: 'UNAVAILABLE' });
  });

  it('waits while the store does not answer', async () => {
    const { attachment } = await files.announceSomewhere();
    const { services } = server.app;
    const { files: store } = services;
    // Nothing listens at this port.
    services.files = new S3Store({ ...settings, endpoint: 'http://127.0.0.1:1' });
    const answer = await files.complete(attachment);
    services.files = store;
    expect(failureOf(answer)).toMatchObject({ http: 503, status: 'UNAVAILABLE' });
    expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
  });
});
