import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { removeFiles } from '../../src/features/attachments/remove-files.ts';
import { dataOf } from '../support/answers.ts';
import { attachmentsOf, headOf, sha256, type Upload } from '../support/attachments.ts';
import { eventually } from '../support/eventually.ts';
import { type RawClient, rawClient } from '../support/raw-http.ts';
import { startTestServer } from '../support/server.ts';

const REQUEST_TIMEOUT_MS = 300;
const environment = { ROLES: 'api', BODY_LIMIT_BYTES: '2048' };
const server = await startTestServer(environment, { requestTimeoutMs: REQUEST_TIMEOUT_MS });
const files = attachmentsOf(server);

/** The files on the disk for an attachment. */
const kept = ({ attachmentId }: Upload) =>
  readdir(path.join(server.dataDir, 'files', server.quickstart.apiKey, attachmentId));

it('a FILES_DIR that cannot be created fails the start with that reason', async () => {
  const FILES_DIR = path.join(import.meta.filename, 'files');
  const problem = `FILES_DIR ${FILES_DIR} cannot be created`;
  await expect(startTestServer({ FILES_DIR })).rejects.toThrow(problem);
});

describe('a download', () => {
  let url: string;
  beforeAll(async () => {
    const attachment = await files.upload(await files.newPlace(), Buffer.from('0123456789'));
    ({ url } = dataOf(await files.get(attachment)));
  });

  it.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=0-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=4-2', 200, '0123456789', null],
    ['bytes=1-2,4-5', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
  ])('of %s answers with %i', async (range, status, text, contentRange) => {
    const answer = await fetch(url, { headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
    expect(await answer.text()).toBe(text);
  });

  it.each(['bytes=10-', 'bytes=-0'])('of %s is refused', async (range) => {
    const answer = await fetch(url, { headers: { range } });
    expect([answer.status, (await answer.json()).error.status]).toEqual([416, 'OUT_OF_RANGE']);
  });

  it('of a part sends the whole file where the part depends on a tag', async () => {
    const answer = await fetch(url, { headers: { range: 'bytes=2-4', 'if-range': '"a"' } });
    expect([answer.status, await answer.text()]).toEqual([200, '0123456789']);
  });
});

describe('an upload', () => {
  /** Sends a part of a file, which may be on the disk once this resolves. */
  async function begin(link: Upload): Promise<RawClient> {
    const client = await rawClient(server.url);
    await client.send(`${headOf(link, { 'content-length': '5' })}hel`);
    await eventually(async () => expect(await kept(link)).toHaveLength(1));
    return client;
  }
  const failureIn = ({ status, body }: { status: number; body: string }) => [
    status,
    JSON.parse(body).error.status,
  ];

  it('larger than a body of JSON may be arrives unchanged', async () => {
    const place = await files.newPlace();
    const content = randomBytes(5_000_000);
    const checksum = sha256(content);
    const attachment = await files.upload(place, content, { checksum });
    const download = await fetch(dataOf(await files.get(attachment)).url);
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(checksum);
  });

  it('may take longer than another request', async () => {
    const link = await files.announce(await files.newPlace());
    const client = await begin(link);
    const other = await rawClient(server.url);
    const json = 'content-type: application/json\r\ncontent-length: 5\r\n\r\n{';
    await other.send(`POST /v2/users/get HTTP/1.1\r\nhost: test\r\n${json}`);
    expect((await other.answer()).status, 'another request is late').toBe(408);
    await client.send('lo');
    expect((await client.answer()).status).toBe(200);
  });

  it('that is cut off leaves nothing, and can be repeated', async () => {
    const link = await files.announce(await files.newPlace());
    (await begin(link)).socket.destroy();
    await eventually(async () => expect(await kept(link)).toEqual([]));
    const again = await begin(link);
    await again.send('lo');
    expect((await again.answer()).status).toBe(200);
    expect(await kept(link)).toEqual(['content']);
  });

  it('ends when another one of the same file begins, and only that one takes room on the disk', async () => {
    const link = await files.announce(await files.newPlace());
    const first = await begin(link);
    const [unfinished] = await kept(link);
    const second = await begin(link);
    expect(failureIn(await first.answer())).toEqual([409, 'ABORTED']);
    await eventually(async () => expect(await kept(link)).toHaveLength(1));
    expect(await kept(link)).not.toContain(unfinished);
    await second.send('lo');
    expect((await second.answer()).status).toBe(200);
    expect(await kept(link)).toEqual(['content']);
  });

  it('of an attachment that is deleted meanwhile is answered so, and leaves nothing', async () => {
    const { link, attachment } = await files.announceSomewhere();
    const client = await begin(link);
    dataOf(await files.delete(attachment));
    await removeFiles(server.app.services);
    await client.send('lo');
    expect(failureIn(await client.answer())).toEqual([404, 'NOT_FOUND']);
    await expect(kept(link)).rejects.toThrow('ENOENT');
  });

  it('is refused before the file is sent if its length is wrong or missing', async () => {
    const link = await files.announce(await files.newPlace());
    const refused = await rawClient(server.url);
    const expects = { expect: '100-continue' };
    await refused.send(headOf(link, { ...expects, 'content-length': '6' }));
    expect((await refused.answer()).status).toBe(400);
    const client = await rawClient(server.url);
    await client.send(headOf(link, { ...expects, 'content-length': '5' }));
    await eventually(() => expect(client.received).toContain('100 Continue'));
    await client.send('hello');
    await eventually(() => expect(client.received).toContain('200 OK'));
    const chunked = await rawClient(server.url);
    await chunked.send(headOf(link, { 'transfer-encoding': 'chunked' }));
    expect((await chunked.answer()).status).toBe(411);
  });

  it.each([
    '../../secret-key',
    '..%2f..%2fsecret-key',
    '%2e%2e/lock',
    'v1.00000000.AAAA',
    'x'.repeat(9000),
  ])('to %s reaches nothing', async (token) => {
    for (const method of ['GET', 'PUT']) {
      const client = await rawClient(server.url);
      await client.send(
        `${method} /files/${token} HTTP/1.1\r\nhost: test\r\ncontent-length: 0\r\n\r\n`,
      );
      expect([403, 404]).toContain((await client.answer()).status);
    }
  });
});
