import { CollaborationError } from '../../client/index.ts';
import { bisectFailures } from './bisect-failures.ts';
import type { Kind, Tally } from './tally.ts';

type Outcomes = Record<string, { success: boolean; message: string }>;

const EXISTS = /already exists|exists already/i;
/** Failures that an item of the call may have caused. */
const ITEM_FAILURES = new Set([400, 404, 409, 413]);
const isItemFailure = (error: unknown): boolean =>
  error instanceof CollaborationError && ITEM_FAILURES.has(error.httpStatus);

/** Writes to this server, and counts the results. A dry run only counts what it found. */
export class Writer {
  readonly tally: Tally;
  readonly isDryRun: boolean;

  constructor(tally: Tally, isDryRun: boolean) {
    this.tally = tally;
    this.isDryRun = isDryRun;
  }

  /**
   * Writes items together. If the server refuses the call, it is split in halves until the items at fault
   * are found.
   *
   * @param id the field with the id of an item, or a function that reads the id
   * @param call adds items; those without an outcome in its answer were added
   * @returns the items that are new
   */
  async send<Item>(
    kind: Kind,
    items: Item[],
    id: keyof Item | ((item: Item) => string),
    call: (items: Item[]) => Promise<unknown>,
  ): Promise<Item[]> {
    if (items.length === 0) return [];
    this.tally.add(kind, 'found', items.length);
    if (this.isDryRun) return [];
    const idOf = typeof id === 'function' ? id : (item: Item) => String(item[id]);
    const added: Item[] = [];
    await bisectFailures(items, {
      work: async (some) => {
        const outcomes = Object(await call(some)) as Outcomes;
        added.push(...some.filter((item) => this.#record(kind, idOf(item), outcomes[idOf(item)])));
      },
      isFault: isItemFailure,
      onFault: (item, { message }) => this.#record(kind, idOf(item), { success: false, message }),
    });
    return added;
  }

  /** Returns which of the ids this server has. Ids that it refuses are left out. */
  async known(
    ids: string[],
    read: (ids: string[]) => Promise<Array<string | undefined>>,
  ): Promise<Set<string | undefined>> {
    const known = new Set<string | undefined>();
    await bisectFailures(ids, {
      work: async (some) => {
        for (const id of await read(some)) known.add(id);
      },
      isFault: isItemFailure,
      onFault: () => {},
    });
    return known;
  }

  /** @returns whether the item is new */
  #record(kind: Kind, id: string, outcome = { success: true, message: '' }): boolean {
    const isKnown = EXISTS.test(outcome.message);
    const isAdded = outcome.success && !isKnown;
    if (isAdded) this.tally.add(kind, 'imported');
    else if (isKnown) this.tally.add(kind, 'existing');
    else this.tally.addRefusal(kind, id, outcome.message);
    return isAdded;
  }
}
