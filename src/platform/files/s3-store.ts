import { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { checksumOf } from '../archives/blocks.ts';
import { AppError } from '../errors.ts';
import {
  contentDisposition,
  type FileStore,
  requireKey,
  type StoredFile,
  type UploadLink,
} from './file-store.ts';

export interface S3Settings {
  /** The address of the service, which browsers and this server must reach. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** The time limit of a request that transfers no file. */
const SHORT_REQUEST_MS = 10_000;
/** The time limit of a request that reads a file to compute its checksum. */
const DOWNLOAD_MS = 120_000;
/** The time limit of a request that transfers an archive. */
const ARCHIVE_MS = 3_600_000;

interface S3Request {
  headers?: Record<string, string>;
  body?: AsyncIterable<Uint8Array>;
  timeoutMs?: number;
}

/** Keeps files in a bucket. Clients upload to it and download from it directly. */
export class S3Store implements FileStore {
  readonly #settings: S3Settings;

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  /**
   * Signs all headers, so that the service refuses an upload with other ones. The service sends the
   * type and the disposition with each download.
   */
  async uploadLink(
    { key, name, type, size, checksum }: StoredFile,
    seconds: number,
  ): Promise<UploadLink> {
    const headers = {
      'content-type': type,
      'content-disposition': contentDisposition(name),
      // While the link is valid, the service refuses to replace the file.
      'if-none-match': '*',
      ...(checksum !== null && { 'x-amz-checksum-sha256': base64Of(checksum) }),
    };
    const signed = { ...headers, 'content-length': String(size) };
    const url = await this.#link('PUT', this.#urlOf(key), seconds, signed);
    return { url, method: 'PUT', headers };
  }

  async downloadLink({ key }: StoredFile, seconds: number): Promise<string> {
    const url = this.#urlOf(key);
    url.searchParams.set('response-cache-control', 'private, no-store');
    return this.#link('GET', url, seconds);
  }

  /** Reads the whole file if the service reports no checksum. */
  async compare({ key, size, checksum }: StoredFile): Promise<'missing' | 'different' | 'same'> {
    const head = await this.#send('HEAD', key, {
      headers: { 'x-amz-checksum-mode': 'ENABLED' },
    });
    if (head.status === 404) return 'missing';
    if (Number(head.headers.get('content-length')) !== size) return 'different';
    if (checksum === null) return 'same';
    const reported = head.headers.get('x-amz-checksum-sha256');
    const found = reported ?? (await this.#checksumOf(key));
    if (found === undefined) return 'missing';
    return found === base64Of(checksum) ? 'same' : 'different';
  }

  /** Returns undefined if the file no longer exists. Even then the body is read, to free the connection. */
  async #checksumOf(key: string): Promise<string | undefined> {
    const { ok, body } = await this.#send('GET', key, { timeoutMs: DOWNLOAD_MS });
    try {
      const checksum = await checksumOf(body ?? Readable.from([]));
      return ok ? base64Of(checksum) : undefined;
    } catch (error) {
      throw unavailable(error);
    }
  }

  async put({ key, name, type, size }: StoredFile, content: AsyncIterable<Buffer>): Promise<void> {
    const headers = {
      'content-type': type,
      'content-disposition': contentDisposition(name),
      'content-length': String(size),
    };
    const upload = { headers, body: content, timeoutMs: ARCHIVE_MS };
    const response = await this.#send('PUT', key, upload);
    await response.body?.cancel();
  }

  async read(key: string): Promise<Readable | undefined> {
    const response = await this.#send('GET', key, { timeoutMs: ARCHIVE_MS });
    if (response.ok && response.body) return Readable.from(response.body);
    await response.body?.cancel();
    return undefined;
  }

  async remove(key: string): Promise<void> {
    const response = await this.#send('DELETE', key);
    await response.body?.cancel();
  }

  #urlOf(key: string): URL {
    return new URL(`${this.#settings.endpoint}/${this.#settings.bucket}/${requireKey(key)}`);
  }

  async #link(method: string, url: URL, seconds: number, headers: Record<string, string> = {}) {
    url.searchParams.set('X-Amz-Expires', String(seconds));
    const signed = await this.#sign({ method, url: url.href, headers, signQuery: true });
    // A space must be %20, as it was signed: services decode a plus sign in different ways.
    return signed.url.href.replaceAll('+', '%20');
  }

  /** @throws UNAVAILABLE when the service does not respond, or refuses the request */
  async #send(
    method: string,
    key: string,
    { headers = {}, body, timeoutMs = SHORT_REQUEST_MS }: S3Request = {},
  ) {
    const signed = await this.#sign({ method, url: this.#urlOf(key).href, headers });
    const signal = AbortSignal.timeout(timeoutMs);
    const upload = body && {
      body: Readable.toWeb(Readable.from(body)) as ReadableStream,
      duplex: 'half',
    };
    try {
      const request = { method, headers: signed.headers, signal, ...upload };
      const response = await fetch(signed.url, request);
      // A file that is read or removed may be missing. For an upload, 404 means that the bucket is missing.
      if (response.ok || (response.status === 404 && !body)) return response;
      await response.body?.cancel();
      throw new Error(`The file store responded to ${method} with ${response.status}.`);
    } catch (error) {
      throw unavailable(error);
    }
  }

  #sign(request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    signQuery?: true;
  }) {
    const { region, accessKeyId, secretAccessKey } = this.#settings;
    const credentials = { service: 's3', region, accessKeyId, secretAccessKey };
    return new AwsV4Signer({ ...request, ...credentials, allHeaders: true }).sign();
  }
}

const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

const unavailable = (cause: unknown) =>
  new AppError('UNAVAILABLE', 'The file store is not available at the moment. Try again.', {
    retryAfterSeconds: 5,
    cause,
  });
