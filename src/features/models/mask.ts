/** From this length on, four shown characters do not help to guess the others. */
const MIN_LENGTH = 20;

/**
 * Masks a secret for display: `sk-…a1b2`, the common prefix of a vendor's keys and the last four
 * characters. A short secret is hidden completely, including its length.
 */
export function mask(secret: string): string {
  if (secret.length < MIN_LENGTH) return '…';
  const prefix = secret.startsWith('sk-') ? 'sk-' : '';
  return `${prefix}…${secret.slice(-4)}`;
}
