import { useQuery } from '@tanstack/react-query';
import type { User } from '../../api/contract.ts';
import { subjectOf } from '../subject.ts';
import { type Collaboration, useCollaboration, useOrganizationId } from './collaboration.tsx';
import { READS } from './reads.ts';
import { readUser } from './use-users.ts';

const selfOf = (collaboration: Collaboration, organizationId: string) => ({
  ...READS,
  queryKey: ['self', organizationId],
  queryFn: async (): Promise<User> => {
    const userId = await subjectOf(collaboration.client);
    // The id alone is enough to go on with, where users may not be read.
    const user = await readUser(collaboration, organizationId, userId).catch(() => null);
    return user ?? { userId };
  },
});

/** The user of the token; undefined until it is known. */
export function useSelf(): User | undefined {
  const collaboration = useCollaboration();
  return useQuery(selfOf(collaboration, useOrganizationId()), collaboration.cache).data;
}

export const loadSelf = (collaboration: Collaboration, organizationId: string): Promise<User> =>
  collaboration.cache.ensureQueryData(selfOf(collaboration, organizationId));
