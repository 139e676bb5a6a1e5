/** Converts the header `Retry-After`, which is in seconds or a date, to milliseconds from now. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // Every HTTP date begins with the day of the week, and is in GMT even if it does not say so.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(`${text.replace(/ GMT$/, '')} GMT`) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
