import type { CollaborationClient } from './create-client.ts';
import { subjectIn } from './token-subject.ts';
import { transportOf } from './transport-of.ts';

/** The id of the user whose token a client has. */
export const subjectOf = async (client: CollaborationClient): Promise<string> =>
  subjectIn(await transportOf(client).token());
