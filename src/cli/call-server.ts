import { reasonOf, StartError } from '../platform/start-error.ts';

interface Call {
  url: string;
  path: string;
  headers: Record<string, string>;
  data: object;
}

/**
 * Calls an operation that needs other credentials than an API key's.
 *
 * @returns `result.data` of the answer
 * @throws StartError with the message of the server, or when there is no server
 */
export async function callServer({ url, path, headers, data }: Call) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  }).catch((error: unknown) => {
    throw new StartError(`The server at ${url} cannot be reached (${reasonOf(error)}).`);
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer.result.data;
  throw new StartError(answer.error?.message ?? `The server answered ${response.status}.`);
}
