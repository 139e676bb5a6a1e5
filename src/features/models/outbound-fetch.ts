import { type Dispatcher, fetch } from 'undici';

/**
 * `fetch` on the one way out, for libraries that take one. Redirects are not followed: the request
 * carries a key in headers that other hosts must not see.
 */
export const outboundFetch = (dispatcher: Dispatcher): typeof globalThis.fetch => {
  const send = (url: string, init: object) =>
    fetch(url, { ...init, redirect: 'manual', dispatcher });
  // Node's own fetch is an older copy of the same code, whose types TypeScript holds for others.
  return send as unknown as typeof globalThis.fetch;
};
