import type { KeyContext } from './context.ts';

export interface UserDataQuery {
  organizationId: string;
  userId: string;
}

/**
 * A kind of user data, as its feature provides it for 4.16. The order must not change when rows
 * change, so it is by immutable columns. With a user token (`ctx.userId`) only data that the user
 * may see is returned.
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
