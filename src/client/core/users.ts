import { QueryObserver, type QueryObserverResult } from '@tanstack/query-core';
import type { User } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, collaborationOf } from './collaboration.ts';
import { createLive, type Live } from './live.ts';
import { oneAttempt } from './reads.ts';

export interface Users {
  /** The users who exist. */
  users: User[];
  isLoading: boolean;
  error: CollaborationError | null;
}

/** Users by their ids. All ids that are requested at the same moment share a call. */
export function liveUsers(
  client: CollaborationClient,
  { organizationId, userIds }: { organizationId: string; userIds: string[] },
): Live<Users> {
  const collaboration = collaborationOf(client);
  const reads = [...new Set(userIds)].map(
    (userId) =>
      new QueryObserver<User | null>(collaboration.cache, {
        queryKey: ['user', organizationId, userId],
        queryFn: () => readUser(collaboration, organizationId, userId),
      }),
  );
  return createLive(collaboration, { sources: reads, value: usersOf });
}

const usersOf = (...results: Array<QueryObserverResult<User | User[] | null>>): Users => ({
  users: results.flatMap(({ data }) => data ?? []),
  isLoading: results.some(({ isPending }) => isPending),
  error: (results.find(({ error }) => error)?.error ?? null) as CollaborationError | null,
});

/** The members of the organization, at most 1000, to choose from for mentions and assignments. */
export function liveMembers(
  client: CollaborationClient,
  { organizationId }: { organizationId: string },
): Live<Users> {
  const collaboration = collaborationOf(client);
  const members = new QueryObserver<User[]>(collaboration.cache, {
    staleTime: 60_000,
    queryKey: ['members', organizationId],
    queryFn: async ({ signal }) => {
      const input = { organizationId, pageSize: 1000 };
      return (await client.users.get(input, oneAttempt(signal))).data;
    },
  });
  return createLive(collaboration, { sources: [members], value: usersOf });
}

/** The most ids that the server takes in one call. */
const MAX_USERS_PER_CALL = 30;

/** A call for users of one organization, which is about to be made. */
interface Batch {
  userIds: Set<string>;
  users: Promise<Map<string, User>>;
}

/** Reads a user for the cache, which repeats failed reads. @returns null if the user is not in the organization */
export async function readUser(
  { client, share }: Collaboration,
  organizationId: string,
  userId: string,
): Promise<User | null> {
  const batches = share('batches of users', () => new Map<string, Batch>());
  const started = batches.get(organizationId);
  const hasRoom = started && started.userIds.size < MAX_USERS_PER_CALL;
  const batch = hasRoom ? started : startBatch(client, organizationId, batches);
  batch.userIds.add(userId);
  return (await batch.users).get(userId) ?? null;
}

/** Starts a batch of ids, to which others are added until this turn of the event loop ends. */
function startBatch(
  client: CollaborationClient,
  organizationId: string,
  batches: Map<string, Batch>,
): Batch {
  const userIds = new Set<string>();
  const users = new Promise((resolve) => setTimeout(resolve)).then(async () => {
    batches.delete(organizationId);
    const input = { organizationId, userIds: [...userIds] };
    const { data } = await client.users.get(input, oneAttempt());
    return new Map(data.map((user) => [user.userId, user]));
  });
  const batch = { userIds, users };
  batches.set(organizationId, batch);
  return batch;
}
