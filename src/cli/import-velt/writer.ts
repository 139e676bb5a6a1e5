import { CollaborationError } from '../../client/index.ts';
import { bisectFailures } from './bisect-failures.ts';
import { chunksOf, textOf } from './hosted-rows.ts';
import { MAX_IDS, type Row } from './hosted-service.ts';
import type { Counts, Kind, Report } from './report.ts';

/** The most refusals that the report names. It counts all of them. */
const MAX_REFUSALS = 200;

type Outcomes = Record<string, { success: boolean; message: string }>;

const ALREADY_EXISTS = /already exists|exists already/i;
/** Failures that an item of the call may have caused. */
const ITEM_FAILURES = new Set([400, 404, 409, 413]);
const isItemFailure = (error: unknown): boolean =>
  error instanceof CollaborationError && ITEM_FAILURES.has(error.httpStatus);

interface Addition<Item> {
  /** Returns the ids that exist on this server, among the given ones. */
  read: (ids: string[]) => Promise<Array<string | undefined>>;
  add: (items: Item[]) => Promise<unknown>;
}

/**
 * Writes to this server, counts the results, and records the items that were not imported. A dry run only counts
 * the items that were found.
 */
export class Writer {
  readonly report: Report = { counts: {}, refusals: [], left: {} };
  readonly isDryRun: boolean;

  constructor(isDryRun: boolean) {
    this.isDryRun = isDryRun;
  }

  count(kind: Kind, field: keyof Counts, number = 1): void {
    const counts = this.report.counts[kind] ?? { found: 0, imported: 0, existing: 0, refused: 0 };
    counts[field] += number;
    this.report.counts[kind] = counts;
  }

  addRefusal(kind: Kind, id: string, reason: string): void {
    this.count(kind, 'refused');
    if (this.report.refusals.length < MAX_REFUSALS) this.report.refusals.push({ kind, id, reason });
  }

  /** Converts rows. A row for which `toItem` returns undefined is recorded as refused, with the reason. */
  convert<Item>(
    kind: Kind,
    rows: Row[],
    toItem: (row: Row) => Item | undefined,
    reason: string,
  ): Item[] {
    return rows.flatMap((row) => {
      const item = toItem(row);
      if (item !== undefined) return [item];
      const id = [row.id, row.annotationId, row.recordingId, row.userId].map(textOf).find(Boolean);
      this.count(kind, 'found');
      this.addRefusal(kind, id ?? 'without an id', reason);
      return [];
    });
  }

  /** Records data that is not imported, because this server has no place for it. */
  addLeftOut(name: string, number = 1): void {
    if (number > 0) this.report.left[name] = (this.report.left[name] ?? 0) + number;
  }

  /**
   * Writes items together. If the server refuses the call, the items are split in halves until those at
   * fault are found.
   *
   * @param id the field with the id of an item, or a function that reads the id
   * @param call adds items; an item without an outcome in the response counts as added
   * @returns the items that are new
   */
  async send<Item>(
    kind: Kind,
    items: Item[],
    id: keyof Item | ((item: Item) => string),
    call: (items: Item[]) => Promise<unknown>,
  ): Promise<Item[]> {
    if (items.length === 0) return [];
    this.count(kind, 'found', items.length);
    if (this.isDryRun) return [];
    const idOf = typeof id === 'function' ? id : (item: Item) => String(item[id]);
    const added: Item[] = [];
    await bisectFailures(items, {
      work: async (some) => {
        const outcomes = ((await call(some)) ?? {}) as Outcomes;
        added.push(...some.filter((item) => this.#record(kind, idOf(item), outcomes[idOf(item)])));
      },
      isFault: isItemFailure,
      onFault: (item, { message }) => this.#record(kind, idOf(item), { success: false, message }),
    });
    return added;
  }

  /**
   * Writes the items that this server does not have, for operations that would change existing ones.
   */
  async sendNew<Id extends string, Item extends Record<Id, string>>(
    kind: Kind,
    items: Item[],
    id: Id,
    { read, add }: Addition<Item>,
  ): Promise<void> {
    for (const chunk of chunksOf(items, MAX_IDS)) {
      const missing = this.isDryRun ? chunk : await this.selectNew(chunk, id, read);
      const existingCount = chunk.length - missing.length;
      if (existingCount > 0) {
        this.count(kind, 'found', existingCount);
        this.count(kind, 'existing', existingCount);
      }
      await this.send(kind, missing, id, add);
    }
  }

  /**
   * Returns the items that this server does not have; none in a dry run, which reads nothing here. An item whose id
   * the server refuses counts as new.
   *
   * @param read returns the ids that exist on this server, among the given ones
   */
  async selectNew<Id extends string, Item extends Record<Id, string>>(
    items: Item[],
    idField: Id,
    read: (ids: string[]) => Promise<Array<string | undefined>>,
  ): Promise<Item[]> {
    if (this.isDryRun) return [];
    const existing = new Set<string | undefined>();
    await bisectFailures(items, {
      work: async (some) => {
        for (const id of await read(some.map((item) => item[idField]))) existing.add(id);
      },
      isFault: isItemFailure,
      onFault: () => {},
    });
    return items.filter((item) => !existing.has(item[idField]));
  }

  /** Counts an item by its outcome. @returns whether the item is new */
  #record(kind: Kind, id: string, outcome = { success: true, message: '' }): boolean {
    const alreadyExists = ALREADY_EXISTS.test(outcome.message);
    const isAdded = outcome.success && !alreadyExists;
    if (isAdded) this.count(kind, 'imported');
    else if (alreadyExists) this.count(kind, 'existing');
    else this.addRefusal(kind, id, outcome.message);
    return isAdded;
  }
}
