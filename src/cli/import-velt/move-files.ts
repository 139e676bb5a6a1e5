import { type Agent, request } from 'undici';
import { type CollaborationClient, CollaborationError } from '../../client/server.ts';
import { createOutboundAgent } from '../../platform/outbound/agent.ts';
import { textOf } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { Writer } from './writer.ts';

export interface DocumentRef {
  organizationId: string;
  documentId: string;
}

/** Moves files from the storage of the hosted service, whose links expire, to that of this server. */
export class FileMover {
  readonly #to: CollaborationClient;
  readonly #writer: Writer;
  readonly #agent: Agent;

  constructor(to: CollaborationClient, writer: Writer, allowedNetworks: string[]) {
    this.#to = to;
    this.#writer = writer;
    this.#agent = createOutboundAgent(allowedNetworks);
  }

  /** @returns the id of the attachment; undefined if the file could not be moved, which is recorded */
  async move(
    place: DocumentRef,
    file: Row,
    userId: string | undefined,
  ): Promise<string | undefined> {
    const url = textOf(file.url);
    if (url === undefined || !URL.canParse(url)) return undefined;
    this.#writer.count('files', 'found');
    try {
      const attachmentId = await this.#move(place, { ...file, url }, userId);
      this.#writer.count('files', 'imported');
      return attachmentId;
    } catch (error) {
      const { origin, pathname } = new URL(url);
      // The query of a link is often its secret.
      const reason = error instanceof Error ? error.message : String(error);
      this.#writer.addRefusal('files', origin + pathname, reason);
      return undefined;
    }
  }

  async #move(place: DocumentRef, file: Row & { url: string }, userId: string | undefined) {
    const { statusCode, headers, body } = await request(file.url, { dispatcher: this.#agent });
    try {
      const size = Number(headers['content-length']);
      if (statusCode !== 200) throw new Error(`The storage answered ${statusCode}.`);
      if (!(size > 0)) throw new Error('The storage did not give the size, or the file is empty.');
      const upload = await this.#to.attachments.createUpload({
        ...place,
        name: nameOf(file),
        size,
        type: typeOf(file, headers['content-type']),
        userId,
      });
      await send(upload, body, size);
      const { attachmentId } = upload;
      await this.#to.attachments.complete({ ...place, attachmentId });
      return attachmentId;
    } finally {
      // A body that nobody reads would hold its connection. Destroying it emits an error.
      body.on('error', () => {}).destroy();
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }
}

async function send(
  { url, method, headers }: { url: string; method: 'PUT'; headers: Record<string, string> },
  body: NodeJS.ReadableStream & AsyncIterable<Uint8Array>,
  size: number,
): Promise<void> {
  const answer = await request(url, {
    method,
    headers: { ...headers, 'content-length': String(size) },
    body: body as never,
  });
  await answer.body.dump();
  if (answer.statusCode < 300) return;
  throw new CollaborationError({
    message: `The upload failed: the server answered ${answer.statusCode}.`,
    status: 'INTERNAL',
    httpStatus: answer.statusCode,
  });
}

/** The file's name without folders, as browsers save it. */
function nameOf(file: Row & { url: string }): string {
  const name = textOf(file.name) ?? decodeURIComponent(new URL(file.url).pathname);
  return name.split(/[/\\]/).at(-1)?.slice(-255) || 'file';
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function typeOf(file: Row, header: string | string[] | undefined): string {
  const [ofHeader = ''] = String(header ?? '').split(';');
  const types = [file.mimeType, file.type, ofHeader.trim()].flatMap((type) => textOf(type) ?? []);
  return types.find((type) => MEDIA_TYPE.test(type)) ?? 'application/octet-stream';
}
