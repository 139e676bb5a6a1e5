import type { CollaborationClient } from './create-client.ts';
import { transportOf } from './transport-of.ts';

/** The id of the user whose token a client has. */
export async function subjectOf(client: CollaborationClient): Promise<string> {
  const token = await transportOf(client).token();
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)).sub;
}
