import type { KeyContext } from '../../api/context.ts';
import { readPageToken, writePageToken } from '../../api/paging.ts';
import type { UserDataPage, UserDataSource } from '../../api/user-data-source.ts';
import { requireOwnUser } from '../access/own-user.ts';
import { requireReadableOrganization } from '../directory/organizations/organizations.ts';
import type { GetUserDataInput, UserDataPages } from './schema.ts';

type Kinds = UserDataPages['data'];

/** For each kind of data, the source that reads it, from the feature that stores it. */
export type UserDataSources = { [Kind in keyof Kinds]: UserDataSource<Kinds[Kind][number]> };

/** The most items of each kind on one page (specification part 8). */
const PAGE_SIZE = 100;

/** The position in each kind of data: absent before its first page, null after its last page. */
type Positions = Record<string, string[] | null>;

/**
 * Returns the data of a user in an organization, a page of each kind at a time (specification 4.16).
 * One page token contains the positions in all kinds. A user token reads the data of its own user.
 */
export async function getUserData(
  ctx: KeyContext,
  sources: UserDataSources,
  { organizationId, userId, pageToken }: GetUserDataInput,
): Promise<UserDataPages> {
  requireOwnUser(ctx, userId);
  const filters = { organizationId, userId };
  const query = { operation: 'userData.get', tenantId: ctx.tenantId, filters };
  const [lastPositions] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  // For a user, a missing organization looks like one in which the user has no data.
  if (ctx.userId === undefined)
    await requireReadableOrganization(ctx.db, ctx.tenantId, organizationId);
  const positions: Positions = lastPositions === undefined ? {} : JSON.parse(lastPositions);
  const next: Positions = {};

  const readPageOf = async <Item>(kind: string, source: UserDataSource<Item>): Promise<Item[]> => {
    const after = positions[kind];
    const noPage: UserDataPage<Item> = { items: [], next: undefined };
    const page = after === null ? noPage : await source.read(ctx, filters, after, PAGE_SIZE);
    next[kind] = page.next ?? null;
    return page.items;
  };
  const data = {
    comments: await readPageOf('comments', sources.comments),
    reactions: await readPageOf('reactions', sources.reactions),
    recordings: await readPageOf('recordings', sources.recordings),
    attachments: await readPageOf('attachments', sources.attachments),
    notifications: await readPageOf('notifications', sources.notifications),
  };
  const hasMore = Object.values(next).some((position) => position !== null);
  return {
    data,
    nextPageToken: hasMore ? writePageToken(ctx.secrets, query, [JSON.stringify(next)]) : null,
  };
}
