/** The part of Trusted Types that this file uses. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): string };
}

/** Turns a text into HTML that the page accepts; undefined before the first use, null if the page accepts none. */
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
