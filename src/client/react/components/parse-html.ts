/** The part of Trusted Types that this file uses. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): string };
}

/** How texts become HTML that the page accepts; undefined until the first one, null if the page allows none. */
let trust: ((html: string) => string) | null | undefined;

/**
 * Parses HTML without running or loading anything of it.
 *
 * @returns undefined on a page with Trusted Types that does not allow the policy `collaboration`
 */
export function parseHtml(html: string): HTMLElement | undefined {
  if (trust === undefined) trust = createTrust();
  return trust ? new DOMParser().parseFromString(trust(html), 'text/html').body : undefined;
}

function createTrust(): ((html: string) => string) | null {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return (html) => html;
  try {
    const policy = trustedTypes.createPolicy('collaboration', { createHTML: (html) => html });
    return (html) => policy.createHTML(html);
  } catch {
    return null;
  }
}
