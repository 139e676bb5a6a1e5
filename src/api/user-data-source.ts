import type { KeyContext } from './context.ts';

export interface UserDataQuery {
  organizationId: string;
  userId: string;
}

/**
 * A kind of user data, as its feature provides it (specification 4.16). Items are sorted by immutable
 * columns, so that their order stays the same when rows change. With a user token (`ctx.userId`), only
 * data that the user may see is returned.
 */
export interface UserDataSource<Item> {
  /**
   * Reads at most `limit` items after a position. `next` is the position of the last row that was
   * read; undefined at the end. A page with a `next` may be short or empty.
   */
  read(
    ctx: KeyContext,
    query: UserDataQuery,
    after: string[] | undefined,
    limit: number,
  ): Promise<UserDataPage<Item>>;
}

export interface UserDataPage<Item> {
  items: Item[];
  next: string[] | undefined;
}

interface RowSource<Row, Item> {
  /** Reads rows after a position, in order. */
  select: (
    ctx: KeyContext,
    query: UserDataQuery,
    after: string[] | undefined,
    limit: number,
  ) => Promise<Row[]>;
  positionOf: (row: Row) => string[];
  /** Returns the rows that the user may see now. */
  filterVisible: (ctx: KeyContext, query: UserDataQuery, rows: Row[]) => Promise<Row[]>;
  present: (ctx: KeyContext, row: Row) => Item;
}

/** Creates a source that presents each row as an item. An API key gets all rows. */
export const rowSource = <Row, Item>(source: RowSource<Row, Item>): UserDataSource<Item> => ({
  async read(ctx, query, after, limit) {
    const found = await source.select(ctx, query, after, limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const shown = ctx.userId === undefined ? rows : await source.filterVisible(ctx, query, rows);
    return {
      items: shown.map((row) => source.present(ctx, row)),
      next: last && source.positionOf(last),
    };
  },
});
