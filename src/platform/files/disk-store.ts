import { on } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Meter } from '../archives/blocks.ts';
import { type Clock, unixSeconds } from '../clock.ts';
import { AppError, invalidArgument } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Secrets } from '../secrets.ts';
import { codeOf } from '../start-error.ts';
import { type ByteRange, byteRangeOf } from './byte-range.ts';
import { type FileStore, requireKey, type StoredFile, type UploadLink } from './file-store.ts';

/** The path on this server with which all links of this store begin. */
export const FILES_PATH = '/files';

/** The encryption context of links (`Secrets.seal`). */
const SEAL_CONTEXT = 'file link';

interface Link {
  use: 'upload' | 'download';
  file: StoredFile;
  /** Unix seconds. */
  endsAt: number;
}

interface DiskStoreDependencies {
  folder: string;
  secrets: Secrets;
  clock: Clock;
  /** Returns the address of this server, which is known once it listens. */
  publicUrl: () => string;
}

/** An upload that is arriving. */
interface ArrivingFile {
  /** The headers `Content-Type` and `Content-Length`. */
  type: string | undefined;
  length: string | undefined;
  content: Readable;
  /** Called when the upload matches its link, before its bytes are read. */
  onAccepted: () => void;
}

/** A file to be sent. */
interface OpenFile {
  file: StoredFile;
  /** The part of the file that `content` has; undefined for the whole file. */
  range: ByteRange | undefined;
  content: Readable;
}

/**
 * Keeps files in a folder, and serves its own links. A link is encrypted, so that only this server can
 * create one. Each file has a folder of its own, with its unfinished uploads until one is complete.
 */
export class DiskStore implements FileStore {
  readonly #deps: DiskStoreDependencies;
  /** Controllers that end the uploads that are arriving, by the keys of their files. */
  readonly #arriving = new Map<string, AbortController>();

  constructor(deps: DiskStoreDependencies) {
    this.#deps = deps;
  }

  async uploadLink(file: StoredFile, seconds: number): Promise<UploadLink> {
    const headers = { 'content-type': file.type };
    return { url: this.#link('upload', file, seconds), method: 'PUT', headers };
  }

  async downloadLink(file: StoredFile, seconds: number): Promise<string> {
    return this.#link('download', file, seconds);
  }

  /** Compares only the size, because `receive` has already checked the checksum. */
  async compare({ key, size }: StoredFile): Promise<'missing' | 'different' | 'same'> {
    const found = await ifExists(stat(this.#pathOf(key)));
    if (!found) return 'missing';
    return found.size === size ? 'same' : 'different';
  }

  async put({ key }: StoredFile, content: AsyncIterable<Buffer>): Promise<void> {
    const target = this.#pathOf(key);
    await writeUnderTemporaryName(target, async (unfinished) => {
      await writeDurably(unfinished, Readable.from(content, { objectMode: false }));
      await rename(unfinished, target);
    });
  }

  async read(key: string): Promise<Readable | undefined> {
    const handle = await ifExists(open(this.#pathOf(key)));
    return handle?.createReadStream();
  }

  async remove(key: string): Promise<void> {
    await rm(path.dirname(this.#pathOf(key)), { recursive: true, force: true });
  }

  /**
   * Stores the file that a link announces. The file gets its final name once it is complete on the
   * disk, so a download never sees only a part of it.
   *
   * @throws PERMISSION_DENIED for a link that is not valid; INVALID_ARGUMENT for another file than
   *   the declared one; ALREADY_EXISTS after the first upload; ABORTED when another upload of the
   *   file begins; NOT_FOUND when the file is deleted meanwhile
   */
  async receive(token: string, arriving: ArrivingFile): Promise<void> {
    const { file, endsAt } = this.#openLink('upload', token);
    requireDeclared(file, arriving);
    const target = this.#pathOf(file.key);
    if (await ifExists(stat(target))) throw alreadyUploaded();
    await this.#replaceOtherUpload(file.key, (replaced) =>
      writeUnderTemporaryName(target, async (unfinished) => {
        arriving.onAccepted();
        const expired = AbortSignal.timeout(Math.max(0, endsAt * 1000 - this.#deps.clock.now()));
        const ending = AbortSignal.any([expired, replaced]);
        const writing = writeDurably(unfinished, chunksOf(arriving.content, ending));
        const checksum = await writing.catch((error: unknown) => {
          throw expired.aborted ? linkExpired() : error;
        });
        if (file.checksum !== null && checksum !== file.checksum) throw otherChecksum();
        await link(unfinished, target).catch(async (error: unknown) => {
          // Another process may have stored the file meanwhile, and removed this unfinished upload.
          throw (await ifExists(stat(target))) ? alreadyUploaded() : error;
        });
      }),
    );
  }

  /**
   * Ends another upload of the same file if one is arriving, and then receives this one. Otherwise, one
   * link could fill the disk with a copy of the file for each connection. The later upload wins: a
   * client that repeats its upload may have lost the first connection, which this server has not noticed.
   *
   * @param receive is given a signal that aborts when another upload of the file begins
   */
  async #replaceOtherUpload(
    key: string,
    receive: (replaced: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const upload = new AbortController();
    this.#arriving.get(key)?.abort();
    this.#arriving.set(key, upload);
    try {
      await receive(upload.signal);
    } catch (error) {
      if (upload.signal.aborted) throw replacedUpload();
      // When the file is deleted, its folder is removed, even while an upload is arriving.
      throw codeOf(error) === 'ENOENT' ? deleted() : error;
    } finally {
      if (this.#arriving.get(key) === upload) this.#arriving.delete(key);
    }
  }

  /**
   * Opens the file of a link, or the part of it that a `Range` header asks for.
   *
   * @throws PERMISSION_DENIED for a link that is not valid; NOT_FOUND when the file was removed;
   *   OUT_OF_RANGE for a part after the end of the file
   */
  async open(token: string, rangeHeader?: string): Promise<OpenFile> {
    const { file } = this.#openLink('download', token);
    const range = byteRangeOf(rangeHeader, file.size);
    const handle = await ifExists(open(this.#pathOf(file.key)));
    if (!handle) throw deleted();
    return { file, range, content: handle.createReadStream({ ...range }) };
  }

  #pathOf(key: string): string {
    return path.join(this.#deps.folder, requireKey(key), 'content');
  }

  #link(use: Link['use'], file: StoredFile, seconds: number): string {
    const { secrets, clock, publicUrl } = this.#deps;
    const link: Link = { use, file, endsAt: unixSeconds(clock) + seconds };
    return `${publicUrl()}${FILES_PATH}/${secrets.seal(JSON.stringify(link), SEAL_CONTEXT)}`;
  }

  #openLink(use: Link['use'], token: string): Link {
    const { secrets, clock } = this.#deps;
    const link = secrets.openJson<Link>(token, SEAL_CONTEXT);
    if (link?.use !== use) throw denied('The link is not valid.');
    if (unixSeconds(clock) >= link.endsAt) throw linkExpired();
    return link;
  }
}

/**
 * Gives `work` a temporary name in the folder of the target. `work` writes the file and then gives it its
 * final name. Afterwards, removes all other files, which killed processes have left, and flushes the folder.
 */
async function writeUnderTemporaryName(
  target: string,
  work: (unfinished: string) => Promise<void>,
) {
  const folder = path.dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // Node also reports ENOENT for a read-only file system. To our callers, it would mean a deleted file.
    throw codeOf(error) === 'ENOENT'
      ? new Error('No folder can be created.', { cause: error })
      : error;
  });
  const unfinished = path.join(folder, newId());
  try {
    await work(unfinished);
  } finally {
    await ifExists(unlink(unfinished));
  }
  const others = (await readdir(folder)).filter((name) => name !== path.basename(target));
  for (const name of others) await rm(path.join(folder, name), { force: true });
  await syncFolders(folder);
}

/** How many chunks of an upload wait in memory for the disk. */
const MAX_CHUNKS = 16;

/**
 * Yields the chunks of an upload until the signal aborts. The stream's own iterator would end only
 * with the next chunk, which a stalled client may never send, or would destroy the request, so that no
 * response could be sent.
 */
async function* chunksOf(content: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  // A stream that is already destroyed emits no more events.
  if (content.destroyed) throw cutOff();
  try {
    const events = on(content, 'data', { signal, close: ['end'], highWaterMark: MAX_CHUNKS });
    for await (const [chunk] of events) yield chunk;
  } finally {
    content.resume();
  }
}

/** Writes a file durably, and returns its SHA-256. */
async function writeDurably(target: string, content: AsyncIterable<Buffer>): Promise<string> {
  const meter = new Meter();
  const metered = (chunks: AsyncIterable<Buffer>) => meter.through(chunks);
  const file = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await pipeline(content, metered, file);
    return meter.digest();
  } catch (error) {
    throw isCutOff(error) ? cutOff() : error;
  }
}

/**
 * Flushes three folders to the disk: that of a file, that of its tenant, and the one above. Without
 * this, a power failure could undo changes to the names in them.
 */
async function syncFolders(folder: string): Promise<void> {
  const tenantFolder = path.dirname(folder);
  for (const name of [folder, tenantFolder, path.dirname(tenantFolder)]) {
    const handle = await open(name);
    await handle.sync().finally(() => handle.close());
  }
}

const linkExpired = () => denied('The link has expired. Ask for another one.');

const cutOff = () =>
  new AppError('ABORTED', 'The upload ended before the whole file had arrived.', { http: 499 });

const isCutOff = (error: unknown): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ABORT_ERR'].includes(codeOf(error) ?? '');

/** Compares the headers with the link. Node accepts only as many bytes as `Content-Length` announces. */
function requireDeclared(file: StoredFile, { type, length }: ArrivingFile): void {
  if (length === undefined) {
    throw invalidArgument('The upload has no Content-Length header.', { http: 411 });
  }
  if (length !== String(file.size)) {
    throw invalidArgument(`The upload must have the declared ${file.size} bytes.`);
  }
  if (type !== file.type) {
    throw invalidArgument(`The upload must have the declared content type ${file.type}.`);
  }
}

const denied = (message: string) => new AppError('PERMISSION_DENIED', message);
const otherChecksum = () => invalidArgument("The upload's checksum differs from the declared one.");
const replacedUpload = () => new AppError('ABORTED', 'Another upload of the same file has begun.');
const deleted = () => new AppError('NOT_FOUND', 'The file was deleted.');
const alreadyUploaded = () => new AppError('ALREADY_EXISTS', 'The file has already been uploaded.');

/** Resolves to undefined if the file does not exist. */
async function ifExists<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
