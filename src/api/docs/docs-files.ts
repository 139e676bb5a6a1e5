import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Compressed, compress } from '../responses/send-compressed.ts';
import type { OpenSite } from './site.ts';

interface File {
  type: string;
  content: Compressed;
}

const ASSETS = path.join(import.meta.dirname, 'assets');
const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const JSON_TYPE = 'application/json';

/** The files of the documentation by their paths. Each is made once, when it is first asked for. */
export class DocsFiles {
  readonly #kept = new Map<string, Promise<Compressed>>();
  #opened: Promise<OpenSite> | undefined;

  /** @returns undefined if there is nothing at the path */
  async find(address: string): Promise<File | undefined> {
    const own = OWN_FILES[address];
    if (own) {
      const content = await this.keep(address, () => own.read(this));
      return { ...own, content };
    }
    return (await this.#findPage(address)) ?? this.#findImage(address);
  }

  keep(name: string, read: () => Promise<string | Buffer>): Promise<Compressed> {
    const known = this.#kept.get(name);
    if (known !== undefined) return known;
    const content = read().then((text) => compress(Buffer.from(text)));
    this.#kept.set(name, content);
    // What could not be read is read again by the next request.
    content.catch(() => this.#kept.delete(name));
    return content;
  }

  /** Loads what only the documentation needs, so that a server without readers stays small. */
  site(): Promise<OpenSite> {
    this.#opened ??= import('./site.ts').then(({ openSite }) => openSite());
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    return this.#opened;
  }

  async #findPage(address: string): Promise<File | undefined> {
    const [, name = '', suffix] = /^\/docs(?:\/(.+?))?(\.md)?$/.exec(address) ?? [];
    const { pages, html } = await this.site();
    const page = pages.get(name);
    if (!page) return undefined;
    const read = async () => (suffix ? page.markdown() : html(page));
    return { type: suffix ? MARKDOWN : HTML, content: await this.keep(address, read) };
  }

  async #findImage(address: string): Promise<File | undefined> {
    const { readImage } = await this.site();
    const image = await readImage(address.slice('/docs/'.length));
    if (!image) return undefined;
    return { type: image.type, content: await this.keep(address, async () => image.content) };
  }
}

interface OwnFile {
  type: string;
  read(files: DocsFiles): Promise<string | Buffer>;
}

const asset = (name: string, type: string): OwnFile => ({
  type,
  read: () => readFile(path.join(ASSETS, name)),
});

const OWN_FILES: Record<string, OwnFile | undefined> = {
  '/docs/assets/site.css': asset('site.css', 'text/css; charset=utf-8'),
  '/docs/assets/early.js': asset('early.js', SCRIPT),
  '/docs/assets/site.js': asset('site.js', SCRIPT),
  '/docs/assets/search.js': asset('search.js', SCRIPT),
  '/docs/assets/minisearch.js': {
    type: SCRIPT,
    read: () => readFile(fileURLToPath(import.meta.resolve('minisearch'))),
  },
  '/docs/assets/search.json': {
    type: JSON_TYPE,
    read: async (files) => (await files.site()).searchIndex(),
  },
};
