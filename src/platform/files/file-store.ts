import type { Readable } from 'node:stream';

/** A file that a client uploads or downloads. Its bytes never change. */
export interface StoredFile {
  /** The storage address, chosen by the server: two names of letters, digits or underscores, separated by a slash. */
  key: string;
  /** The name under which browsers save the file. */
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

/** Keeps the bytes of files. Clients upload and download through links that expire. */
export interface FileStore {
  /** Creates a link that accepts this file once, with its size, type and, if known, checksum. */
  uploadLink(file: StoredFile, seconds: number): Promise<UploadLink>;
  downloadLink(file: StoredFile, seconds: number): Promise<string>;
  /** Compares the uploaded file with the declared one. */
  compare(file: StoredFile): Promise<'missing' | 'different' | 'same'>;
  /** Stores a file that the server itself has made. It replaces a file with the same key. */
  put(file: StoredFile, content: AsyncIterable<Buffer>): Promise<void>;
  /** Returns undefined if there is no such file. */
  read(key: string): Promise<Readable | undefined>;
  /** Removes the file if it exists. */
  remove(key: string): Promise<void>;
}

/**
 * The header `Content-Disposition`, which makes browsers save a file under its name instead of
 * showing it (RFC 6266). The name in ASCII is for clients that cannot read the encoded one.
 */
export function contentDisposition(name: string): string {
  const ascii = name.replace(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

const KEY_PATTERN = /^\w+\/\w+$/;

/** @throws Error for a key that would lead to another place, such as `tenant/../other/file` */
export function requireKey(key: string): string {
  if (!KEY_PATTERN.test(key))
    throw new Error(
      'A file key must be two names of letters, digits or underscores, with a slash.',
    );
  return key;
}
