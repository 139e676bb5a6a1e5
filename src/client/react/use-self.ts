import type { User } from '../../api/contract.ts';
import { liveSelf } from '../core/self.ts';
import { useOrganizationId } from './collaboration.tsx';
import { useLive } from './use-live.ts';

/** The user of the token; undefined until it is known. */
export const useSelf = (): User | undefined =>
  useLive(liveSelf, { organizationId: useOrganizationId() });
