import querystring from 'node:querystring';
import { request } from 'undici';
import { textOf } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { DocumentRef, ImportContext } from './import-context.ts';

/**
 * Moves a file from the hosted service's storage, whose links expire, to the storage of this server.
 *
 * @returns the id of the attachment; undefined if the file has no URL, or if it could not be moved, which
 * is recorded
 */
export async function moveFile(
  ctx: ImportContext,
  documentRef: DocumentRef,
  file: Row,
  userId: string | undefined,
): Promise<string | undefined> {
  const url = textOf(file.url);
  if (url === undefined || !URL.canParse(url)) return undefined;
  ctx.writer.count('files', 'found');
  try {
    const attachmentId = await upload(ctx, documentRef, { ...file, url }, userId);
    ctx.writer.count('files', 'imported');
    return attachmentId;
  } catch (error) {
    const { origin, pathname } = new URL(url);
    // The query is left out, since it often contains the secret of the link.
    const reason = error instanceof Error ? error.message : String(error);
    ctx.writer.addRefusal('files', origin + pathname, reason);
    return undefined;
  }
}

async function upload(
  { to, agent }: ImportContext,
  documentRef: DocumentRef,
  file: Row & { url: string },
  userId: string | undefined,
): Promise<string> {
  const { statusCode, headers, body } = await request(file.url, { dispatcher: agent });
  try {
    const size = Number(headers['content-length']);
    if (statusCode !== 200) throw new Error(`The storage responded with ${statusCode}.`);
    if (!(size > 0)) throw new Error('The storage did not give the size, or the file is empty.');
    const name = nameOf(file);
    const type = typeOf(file, headers['content-type']);
    const link = await to.attachments.createUpload({ ...documentRef, name, size, type, userId });
    const response = await request(link.url, {
      method: link.method,
      headers: { ...link.headers, 'content-length': String(size) },
      body,
    });
    await response.body.dump();
    if (response.statusCode >= 300)
      throw new Error(`The upload failed with status ${response.statusCode}.`);
    const { attachmentId } = link;
    await to.attachments.complete({ ...documentRef, attachmentId });
    return attachmentId;
  } finally {
    // If nobody has read the body, it holds its connection until it is destroyed, which emits an error.
    body.on('error', () => {}).destroy();
  }
}

/** Returns the file's name without folders. A URL may contain it without percent-encoding, which `unescape` tolerates. */
function nameOf(file: Row & { url: string }): string {
  const name = textOf(file.name) ?? querystring.unescape(new URL(file.url).pathname);
  return name.split(/[/\\]/).at(-1)?.slice(-255) || 'file';
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function typeOf(file: Row, header: string | string[] | undefined): string {
  const [ofHeader = ''] = String(header ?? '').split(';');
  const types = [file.mimeType, file.type, ofHeader.trim()].flatMap((type) => textOf(type) ?? []);
  return types.find((type) => MEDIA_TYPE.test(type)) ?? 'application/octet-stream';
}
