import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { StartError } from '../../platform/start-error.ts';
import type { Page, Row } from './hosted-service.ts';
import { type Report, Tally } from './tally.ts';

interface State {
  /** A hash of both keys, so that a file does not continue another import. */
  identity: string;
  organizations: string[];
  /** The finished steps of the organization that is being imported. */
  steps: string[];
  /** The step that was begun, and the page that comes next. */
  step?: { name: string; pageToken: string } | undefined;
  report?: Report | undefined;
}

/**
 * Remembers what was imported, so that a stopped import goes on at the page where it was. A page that
 * was half written is written again, which adds nothing twice.
 */
export class ProgressFile {
  readonly tally: Tally;
  readonly #file: string | undefined;
  readonly #state: State;
  readonly #finished: Set<string>;

  /** @param file undefined: nothing is remembered, as in a dry run */
  constructor(file: string | undefined, ends: string[]) {
    const identity = createHash('sha256').update(JSON.stringify(ends)).digest('hex');
    this.#file = file;
    this.#state = file !== undefined && existsSync(file) ? stateIn(file) : newState(identity);
    if (this.#state.identity !== identity) {
      throw new StartError(`${file} is the progress of another import. Give --progress <file>.`);
    }
    this.#finished = new Set(this.#state.organizations);
    this.tally = new Tally(this.#state.report);
  }

  hasOrganization = (organizationId: string): boolean => this.#finished.has(organizationId);

  async finishOrganization(organizationId: string): Promise<void> {
    this.#finished.add(organizationId);
    this.#state.organizations.push(organizationId);
    this.#state.steps = [];
    await this.#save();
  }

  /** Runs a step unless an earlier run finished it. */
  async step(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#state.steps.includes(name)) return;
    await work();
    this.#state.steps.push(name);
    this.#state.step = undefined;
    await this.#save();
  }

  /** Runs a step page by page, from the page where an earlier run stopped. */
  async pages(
    name: string,
    read: (pageToken?: string) => AsyncIterable<Page>,
    work: (rows: Row[]) => Promise<void>,
  ): Promise<void> {
    await this.step(name, async () => {
      const { step } = this.#state;
      const first = step?.name === name ? step.pageToken : undefined;
      for await (const { rows, nextPageToken } of read(first)) {
        await work(rows);
        if (nextPageToken === undefined) continue;
        this.#state.step = { name, pageToken: nextPageToken };
        await this.#save();
      }
    });
  }

  /** The import is complete. The next one looks at everything again. */
  async remove(): Promise<void> {
    if (this.#file !== undefined) await rm(this.#file, { force: true });
  }

  async #save(): Promise<void> {
    if (this.#file === undefined) return;
    const state: State = { ...this.#state, report: this.tally.report };
    // A file that is renamed is whole, whenever the process ends.
    await writeFile(`${this.#file}.new`, JSON.stringify(state), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }
}

const newState = (identity: string): State => ({ identity, organizations: [], steps: [] });

function stateIn(file: string): State {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new StartError(`${file} is not the progress of an import. Remove it, or name another.`);
  }
}
