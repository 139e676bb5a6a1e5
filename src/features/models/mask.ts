/** From this length on, four characters more or less do not help anybody to guess the rest. */
const LONG_ENOUGH = 20;

/**
 * A secret as it may be shown: `sk-…a1b2`, the marker that all of a vendor's keys begin with and
 * the last four characters. Of short ones nothing is shown, not even their length.
 */
export function mask(secret: string): string {
  if (secret.length < LONG_ENOUGH) return '…';
  const marker = secret.startsWith('sk-') ? 'sk-' : '';
  return `${marker}…${secret.slice(-4)}`;
}
