/** The id of the user whose token it is. */
export function subjectIn(token: string): string {
  const payload = token.split('.')[1] ?? '';
  const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  const encoded = [...text].map((byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return JSON.parse(decodeURIComponent(encoded.join(''))).sub;
}
