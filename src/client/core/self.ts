import { QueryObserver } from '@tanstack/query-core';
import type { User } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import { transportOf } from '../transport.ts';
import { type Collaboration, collaborationOf } from './collaboration.ts';
import { createLive, type Live } from './live.ts';
import { readUser } from './users.ts';

const selfQuery = (collaboration: Collaboration, organizationId: string) => ({
  queryKey: ['self', organizationId],
  queryFn: async (): Promise<User> => {
    const userId = await transportOf(collaboration.client).userId();
    const user = await readUser(collaboration, organizationId, userId).catch((error) => {
      if (error.retryable) throw error;
      // If the user may not read users, only the user's own id is known.
      return null;
    });
    return user ?? { userId };
  },
});

/** Observes the user of the token, for live values that need to know it. */
export const observeSelf = (collaboration: Collaboration, organizationId: string) =>
  new QueryObserver<User>(collaboration.cache, selfQuery(collaboration, organizationId));

/** The user of the token; undefined until it is known. */
export function liveSelf(
  client: CollaborationClient,
  { organizationId }: { organizationId: string },
): Live<User | undefined> {
  const collaboration = collaborationOf(client);
  return createLive(collaboration, {
    sources: [observeSelf(collaboration, organizationId)],
    value: ({ data }) => data,
  });
}

/** Reads the user of the token, once for all callers. */
export const loadSelf = (collaboration: Collaboration, organizationId: string): Promise<User> =>
  collaboration.cache.ensureQueryData(selfQuery(collaboration, organizationId));
