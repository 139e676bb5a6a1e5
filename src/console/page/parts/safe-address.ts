/** The protocols that a stored address may lead to. Others, such as `javascript:`, stay text. */
const SAFE = new Set(['http:', 'https:', 'mailto:']);

export const safeAddress = (text: unknown): string | undefined =>
  typeof text === 'string' && URL.canParse(text) && SAFE.has(new URL(text).protocol)
    ? text
    : undefined;
