import { liveMembers, liveUsers, type Users } from '../core/users.ts';
import { useOrganizationId } from './collaboration.tsx';
import { useLive } from './use-live.ts';

/** Users by their ids. All components that ask at one moment share a call. */
export const useUsers = (userIds: string[]): Users =>
  useLive(liveUsers, { organizationId: useOrganizationId(), userIds });

/** The members of the organization, at most 1000, for whom to mention or assign. */
export const useMembers = (): Users =>
  useLive(liveMembers, { organizationId: useOrganizationId() });
