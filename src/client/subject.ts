import type { CollaborationClient } from './create-client.ts';
import { claimsOf } from './token-claims.ts';
import { transportOf } from './transport-of.ts';

/** The id of the user whose token a client has. */
export const subjectOf = async (client: CollaborationClient): Promise<string> =>
  claimsOf(await transportOf(client).token()).sub;
