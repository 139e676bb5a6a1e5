import { unescape as percentDecoded } from 'node:querystring';
import { request } from 'undici';
import { textOf } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { DocumentRef, ImportContext } from './import-context.ts';

/**
 * Moves a file from the storage of the hosted service, whose links expire, to that of this server.
 *
 * @returns the id of the attachment; undefined if the file could not be moved, which is recorded
 */
export async function moveFile(
  ctx: ImportContext,
  document: DocumentRef,
  file: Row,
  userId: string | undefined,
): Promise<string | undefined> {
  const url = textOf(file.url);
  if (url === undefined || !URL.canParse(url)) return undefined;
  ctx.writer.count('files', 'found');
  try {
    const attachmentId = await upload(ctx, document, { ...file, url }, userId);
    ctx.writer.count('files', 'imported');
    return attachmentId;
  } catch (error) {
    const { origin, pathname } = new URL(url);
    // The query of a link is often its secret.
    const reason = error instanceof Error ? error.message : String(error);
    ctx.writer.addRefusal('files', origin + pathname, reason);
    return undefined;
  }
}

async function upload(
  { to, agent }: ImportContext,
  document: DocumentRef,
  file: Row & { url: string },
  userId: string | undefined,
): Promise<string> {
  const { statusCode, headers, body } = await request(file.url, { dispatcher: agent });
  try {
    const size = Number(headers['content-length']);
    if (statusCode !== 200) throw new Error(`The storage answered ${statusCode}.`);
    if (!(size > 0)) throw new Error('The storage did not give the size, or the file is empty.');
    const name = nameOf(file);
    const type = typeOf(file, headers['content-type']);
    const link = await to.attachments.createUpload({ ...document, name, size, type, userId });
    const answer = await request(link.url, {
      method: link.method,
      headers: { ...link.headers, 'content-length': String(size) },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode >= 300)
      throw new Error(`The upload failed: the server answered ${answer.statusCode}.`);
    const { attachmentId } = link;
    await to.attachments.complete({ ...document, attachmentId });
    return attachmentId;
  } finally {
    // A body that nobody reads would hold its connection. Destroying it emits an error.
    body.on('error', () => {}).destroy();
  }
}

/** The file's name without folders, as browsers save it. It may be in the URL without percent-encoding. */
function nameOf(file: Row & { url: string }): string {
  const name = textOf(file.name) ?? percentDecoded(new URL(file.url).pathname);
  return name.split(/[/\\]/).at(-1)?.slice(-255) || 'file';
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function typeOf(file: Row, header: string | string[] | undefined): string {
  const [ofHeader = ''] = String(header ?? '').split(';');
  const types = [file.mimeType, file.type, ofHeader.trim()].flatMap((type) => textOf(type) ?? []);
  return types.find((type) => MEDIA_TYPE.test(type)) ?? 'application/octet-stream';
}
