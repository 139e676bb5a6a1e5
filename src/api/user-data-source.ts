import type { KeyContext } from './context.ts';

export interface UserDataQuery {
  organizationId: string;
  userId: string;
}

/**
 * A kind of data that is kept of users, as its feature reads it for 4.16. The order is one that
 * stays as it is while data changes: by what never changes of a row. With a user token
 * (`ctx.userId`) only what that user may see is given.
 */
export interface UserDataSource<Item> {
  /**
   * At most `limit` items after a position. `next` is the position after the last one that was
   * looked at; undefined: there are no more. A page may be short, or empty, and have a next one.
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
