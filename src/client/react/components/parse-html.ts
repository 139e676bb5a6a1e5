/** The part of Trusted Types that this file uses. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): string };
}

/** Marks HTML as trusted for Trusted Types. Undefined before the first use; null if the page does not allow the policy. */
let toTrustedHtml: ((html: string) => string) | null | undefined;

/**
 * Parses HTML without running or loading anything in it.
 *
 * @returns undefined on a page with Trusted Types that does not allow the policy `collaboration`
 */
export function parseHtml(html: string): HTMLElement | undefined {
  if (toTrustedHtml === undefined) toTrustedHtml = createToTrustedHtml();
  return toTrustedHtml
    ? new DOMParser().parseFromString(toTrustedHtml(html), 'text/html').body
    : undefined;
}

function createToTrustedHtml(): ((html: string) => string) | null {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return (html) => html;
  try {
    const policy = trustedTypes.createPolicy('collaboration', { createHTML: (html) => html });
    return (html) => policy.createHTML(html);
  } catch {
    return null;
  }
}
