import { CollaborationError } from '../../client/index.ts';
import type { Kind, Tally } from './tally.ts';

type Outcomes = Record<string, { success: boolean; message: string }>;

interface Write<Item> {
  idOf(item: Item): string;
  /** Adds the items. Without outcomes, all were added. */
  call(items: Item[]): Promise<Outcomes | undefined>;
}

const EXISTS = /already exists|exists already/i;
/** Failures that an item of the call may have caused. */
const ITS_OWN_FAULT = new Set([400, 404, 409, 413]);

/** Writes to this server, and counts what became of it. A dry run only counts. */
export class Writer {
  readonly tally: Tally;
  readonly isDryRun: boolean;

  constructor(tally: Tally, isDryRun: boolean) {
    this.tally = tally;
    this.isDryRun = isDryRun;
  }

  /**
   * Writes items together. Where the server refuses the call, halves are sent until the items at fault
   * are found.
   *
   * @returns the items that are new
   */
  async send<Item>(kind: Kind, items: Item[], write: Write<Item>): Promise<Item[]> {
    if (items.length === 0) return [];
    this.tally.add(kind, 'found', items.length);
    return this.isDryRun ? [] : this.#write(kind, items, write);
  }

  async #write<Item>(kind: Kind, items: Item[], write: Write<Item>): Promise<Item[]> {
    try {
      const outcomes = await write.call(items);
      return items.filter((item) => this.#note(kind, write.idOf(item), outcomes));
    } catch (error) {
      if (!(error instanceof CollaborationError) || !ITS_OWN_FAULT.has(error.httpStatus))
        throw error;
      const [first] = items;
      if (items.length > 1 || first === undefined) return this.#writeHalves(kind, items, write);
      const outcome = { success: false, message: error.message };
      this.#note(kind, write.idOf(first), { [write.idOf(first)]: outcome });
      return [];
    }
  }

  async #writeHalves<Item>(kind: Kind, items: Item[], write: Write<Item>): Promise<Item[]> {
    const half = Math.ceil(items.length / 2);
    const first = await this.#write(kind, items.slice(0, half), write);
    return [...first, ...(await this.#write(kind, items.slice(half), write))];
  }

  #note(kind: Kind, id: string, outcomes: Outcomes | undefined): boolean {
    const { success, message } = outcomes?.[id] ?? { success: true, message: '' };
    const isKnown = EXISTS.test(message);
    const isAdded = success && !isKnown;
    if (isAdded) this.tally.add(kind, 'imported');
    else if (isKnown) this.tally.add(kind, 'existing');
    else this.tally.refuse(kind, id, message);
    return isAdded;
  }
}
