import type { CollaborationClient } from './create-client.ts';
import { transportOf } from './transport-of.ts';

/** The id of the user whose token a client has. */
export async function subjectOf(client: CollaborationClient): Promise<string> {
  const token = await transportOf(client).token();
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  const encoded = [...text].map((byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return JSON.parse(decodeURIComponent(encoded.join(''))).sub;
}
