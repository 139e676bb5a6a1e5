import { type Dispatcher, fetch } from 'undici';

/**
 * `fetch` through the outbound agent, for libraries that accept one. Redirects are not followed,
 * since the request has a key in its headers that other hosts must not receive.
 */
export const outboundFetch = (dispatcher: Dispatcher): typeof globalThis.fetch => {
  const send = (url: string, init: object) =>
    fetch(url, { ...init, redirect: 'manual', dispatcher });
  // Node's own fetch is an older copy of the same code, with types that TypeScript considers
  // different.
  return send as unknown as typeof globalThis.fetch;
};
