import type { Readable } from 'node:stream';

/** A file that a client uploads or downloads. Its bytes never change. */
export interface StoredFile {
  /** The storage address, chosen by the server: two names of letters and digits with a slash. */
  key: string;
  /** The name that browsers save it under. */
  name: string;
  /** The media type. */
  type: string;
  /** Bytes. */
  size: number;
  /** SHA-256 in hexadecimal digits, if the client gave it. */
  checksum: string | null;
}

/** A request that uploads a file without further credentials. */
export interface UploadLink {
  url: string;
  method: 'PUT';
  /** Headers that the request must have in addition to `Content-Length`. */
  headers: Record<string, string>;
}

/** Keeps the bytes of files. Clients exchange them with the store by links that expire. */
export interface FileStore {
  /** Creates a link that accepts this file once, with its size, type and, if known, checksum. */
  uploadLink(file: StoredFile, seconds: number): Promise<UploadLink>;
  downloadLink(file: StoredFile, seconds: number): Promise<string>;
  /** Compares the uploaded file with the announced one. */
  compare(file: StoredFile): Promise<'missing' | 'different' | 'same'>;
  /** Stores a file of the server's own, which replaces one of the same key. */
  put(file: StoredFile, content: AsyncIterable<Buffer>): Promise<void>;
  /** Returns undefined if there is no such file. */
  read(key: string): Promise<Readable | undefined>;
  /** Removes the file, if it was uploaded. */
  remove(key: string): Promise<void>;
}

/**
 * The header `Content-Disposition`, with which browsers save a file under its name instead of
 * showing it (RFC 6266). The name in ASCII is for clients that do not know the encoded one.
 */
export function contentDisposition(name: string): string {
  const ascii = name.replace(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

const KEY = /^\w+\/\w+$/;

/** @throws Error for a key that would lead to another place, such as `tenant/../other/file` */
export function requireKey(key: string): string {
  if (!KEY.test(key))
    throw new Error('The key of a file may only have two names of letters and digits.');
  return key;
}
