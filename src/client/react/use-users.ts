import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { User } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import type { CollaborationError } from '../error.ts';
import { type Collaboration, useCollaboration, useOrganizationId } from './collaboration.tsx';
import { READS } from './reads.ts';

export interface Users {
  /** Those that exist. */
  users: User[];
  isLoading: boolean;
  error: CollaborationError | null;
}

/** Users by their ids. All components that ask at one moment share a call. */
export function useUsers(userIds: string[]): Users {
  const collaboration = useCollaboration();
  const organizationId = useOrganizationId();
  return useQueries(
    {
      queries: [...new Set(userIds)].map((userId) => ({
        ...READS,
        queryKey: ['user', organizationId, userId],
        queryFn: () => readUser(collaboration, organizationId, userId),
      })),
      combine: useCallback(
        (reads: Array<{ data?: User | null; isPending: boolean; error: Error | null }>) => ({
          users: reads.flatMap(({ data }) => data ?? []),
          isLoading: reads.some(({ isPending }) => isPending),
          error: (reads.find(({ error }) => error)?.error ?? null) as CollaborationError | null,
        }),
        [],
      ),
    },
    collaboration.cache,
  );
}

/** The members of the organization, at most 1000, for whom to mention or assign. */
export function useMembers(): Users {
  const { client, cache } = useCollaboration();
  const organizationId = useOrganizationId();
  const { data, isPending, error } = useQuery(
    {
      ...READS,
      staleTime: 60_000,
      queryKey: ['members', organizationId],
      queryFn: async ({ signal }) => {
        const members = await client.users.get({ organizationId, pageSize: 1000 }, { signal });
        return members.data;
      },
    },
    cache,
  );
  return { users: data ?? [], isLoading: isPending, error: error as CollaborationError | null };
}

interface Batch {
  userIds: Set<string>;
  users: Promise<Map<string, User>>;
}

const batches = new WeakMap<CollaborationClient, Map<string, Batch>>();

/** Resolves to null for users who are not in the organization. */
export async function readUser(
  { client }: Pick<Collaboration, 'client'>,
  organizationId: string,
  userId: string,
): Promise<User | null> {
  const waiting = batches.get(client) ?? new Map<string, Batch>();
  batches.set(client, waiting);
  const batch = waiting.get(organizationId) ?? startBatch(client, organizationId, waiting);
  batch.userIds.add(userId);
  return (await batch.users).get(userId) ?? null;
}

function startBatch(
  client: CollaborationClient,
  organizationId: string,
  waiting: Map<string, Batch>,
): Batch {
  const userIds = new Set<string>();
  const users = new Promise((resolve) => setTimeout(resolve)).then(async () => {
    waiting.delete(organizationId);
    const found = new Map<string, User>();
    const input = { organizationId, userIds: [...userIds], pageSize: 1000 };
    for await (const { data } of client.users.pages(input)) {
      for (const user of data) found.set(user.userId, user);
    }
    return found;
  });
  const batch = { userIds, users };
  waiting.set(organizationId, batch);
  return batch;
}
