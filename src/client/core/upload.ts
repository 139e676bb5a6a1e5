import type { Attachment } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import { CollaborationError, toCollaborationError } from '../error.ts';
import { throwIfAborted } from '../retry.ts';
import type { DocumentRef } from './collaboration.ts';

export interface UploadOptions {
  /** Called with the part of the file that has been sent, from 0 to 1. */
  onProgress?: ((part: number) => void) | undefined;
  /** Stops the upload. */
  signal?: AbortSignal | undefined;
}

/**
 * Uploads a file to a document. Add `{ attachmentId }` of the result to the `attachments` of a comment.
 *
 * @throws CollaborationError when the server refuses the file, or cannot be reached
 */
export async function uploadFile(
  client: CollaborationClient,
  { organizationId, documentId }: DocumentRef,
  file: File,
  { onProgress, signal }: UploadOptions = {},
): Promise<Attachment> {
  const documentRef = { organizationId, documentId };
  const { name, size } = file;
  // Browsers do not know the types of all files.
  const type = file.type.split(';')[0] || 'application/octet-stream';
  const options = signal && { signal };
  const upload = await client.attachments.createUpload(
    { ...documentRef, name, size, type },
    options,
  );
  await send(upload, file, { onProgress, signal });
  const { attachmentId } = upload;
  return client.attachments.complete({ ...documentRef, attachmentId }, options);
}

interface Link {
  url: string;
  method: string;
  headers: Record<string, string>;
}

/** Sends the file with XMLHttpRequest, because `fetch` does not report the progress of an upload. */
function send({ url, method, headers }: Link, file: File, options: UploadOptions): Promise<void> {
  const { onProgress, signal } = options;
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / (total || 1));
    request.onload = () =>
      request.status < 300 ? resolve() : reject(uploadRefused(request.status));
    request.onerror = () => reject(toCollaborationError(new TypeError('The upload failed.')));
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

const uploadRefused = (httpStatus: number): CollaborationError =>
  new CollaborationError({
    status: 'FAILED_PRECONDITION',
    httpStatus,
    message: `The server did not accept the file (${httpStatus}).`,
  });
