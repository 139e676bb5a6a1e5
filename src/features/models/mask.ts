/** From this length on, four characters do not help to guess the rest. */
const LONG_ENOUGH = 20;

/**
 * Masks a secret for display: `sk-…a1b2`, the common prefix of a vendor's keys and the last four
 * characters. A short secret is hidden completely, including its length.
 */
export function mask(secret: string): string {
  if (secret.length < LONG_ENOUGH) return '…';
  const marker = secret.startsWith('sk-') ? 'sk-' : '';
  return `${marker}…${secret.slice(-4)}`;
}
