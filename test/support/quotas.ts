import type { Headers } from './answers.ts';
import type { Answer, TestServer } from './server.ts';

/** The quotas of a key, as the administrator reads and sets them. */
export const quotasOf = (server: TestServer, headers: Headers) => {
  const apiKey = headers['x-svc-api-key'];
  return {
    set: (quotas: object) =>
      server.ok('/v2/workspace/apikey/quotas/update', { apiKey, ...quotas }, server.adminHeaders),
    get: () => server.ok('/v2/workspace/apikey/quotas/get', { apiKey }, server.adminHeaders),
  };
};

/** The remainder of each quota, from the headers of an answer. */
export function remaining({ headers }: Pick<Answer, 'headers'>): Record<string, number> {
  const items = headers.get('ratelimit')?.split(', ') ?? [];
  return Object.fromEntries(
    items.map((item) => {
      const [, name = '', left] = /^"([a-z-]+)";r=(\d+)(?:;t=\d+)?$/.exec(item) ?? [];
      return [name, Number(left)];
    }),
  );
}
