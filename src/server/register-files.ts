import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DiskStore, FILES_PATH } from '../platform/files/disk-store.ts';
import { contentDisposition } from '../platform/files/file-store.ts';

/** How long an upload may pause. */
const IDLE_MS = 60_000;

type FileRequest = FastifyRequest<{ Params: { token: string } }>;

/**
 * Serves the links to files that are stored on the disk. The token in the path is the only
 * credential. Files are streamed in both directions, and the limits of JSON bodies do not apply.
 *
 * @param uploading receives the sockets that carry an upload, which may take longer than other requests
 */
export async function registerFiles(
  app: FastifyInstance,
  store: DiskStore,
  uploading: WeakSet<Socket>,
): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // The body is not parsed: `receive` reads it.
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.put(`${FILES_PATH}/:token`, (request: FileRequest, reply) =>
      receiveFile(store, request, reply, uploading),
    );
    scope.get(`${FILES_PATH}/:token`, { exposeHeadRoute: false }, (request: FileRequest, reply) =>
      sendFile(store, request, reply),
    );
    done();
  });
}

async function receiveFile(
  store: DiskStore,
  { raw, headers, params }: FileRequest,
  reply: FastifyReply,
  uploading: WeakSet<Socket>,
): Promise<object> {
  // An upload changes the timeouts of its connection, so no other request may follow on it.
  reply.header('connection', 'close');
  await store.receive(params.token, {
    type: headers['content-type'],
    length: headers['content-length'],
    content: raw,
    onAccepted: () => {
      uploading.add(raw.socket);
      raw.setTimeout(IDLE_MS, () => raw.destroy());
      if (headers.expect !== undefined) reply.raw.writeContinue();
    },
  });
  return { result: { status: 'success', message: 'File uploaded successfully.' } };
}

async function sendFile(
  store: DiskStore,
  { headers, params }: FileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // A conditional range is ignored, since files have no tags that it could name.
  const requested = headers['if-range'] === undefined ? headers.range : undefined;
  const { file, range, content } = await store.open(params.token, requested);
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
  return reply
    .headers({
      'content-type': file.type,
      'content-length': end - start + 1,
      'accept-ranges': 'bytes',
      'content-disposition': contentDisposition(file.name),
      // If a browser shows the file although it should save it, no script in it runs.
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
    .send(content);
}
