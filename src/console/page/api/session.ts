import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ConsoleRole } from '../../../api/credentials/signed-in.ts';
import { CollaborationError } from '../../../client/error.ts';
import type { Credentials } from '../../session/sign-in.ts';

export interface Person {
  name: string;
  role: ConsoleRole;
  /** Set for a person who is limited to one workspace or one API key. */
  workspaceId?: string;
  apiKey?: string;
}

/** Whether the person may see secrets. An operator sees those of an API key after signing in with the key. */
export const seesSecrets = ({ role, apiKey }: Person): boolean =>
  role !== 'reader' && (role !== 'operator' || apiKey !== undefined);

interface SessionState {
  signedIn: Person | null;
  /** Whether people can sign in by OpenID Connect. */
  hasOpenId: boolean;
}

/** Other sites cannot send this header, so it shows the server that a request is from the console's own page. */
const OWN_PAGE_HEADERS = { 'x-console': '1' };

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => request('GET', undefined, signal) as Promise<SessionState>,
  staleTime: 30_000,
});

/** The signed-in person; null if nobody is signed in, undefined until this is known. */
export const usePerson = (): Person | null | undefined => useQuery(sessionQuery).data?.signedIn;

/** @throws CollaborationError for wrong credentials */
export const signIn = (credentials: Credentials): Promise<SessionState> =>
  request('POST', credentials) as Promise<SessionState>;

export const signOut = (): Promise<unknown> => request('DELETE');

async function request(method: string, body?: object, signal?: AbortSignal): Promise<unknown> {
  const response = await fetch('/console/session', {
    method,
    headers: body ? { ...OWN_PAGE_HEADERS, 'content-type': 'application/json' } : OWN_PAGE_HEADERS,
    body: body && JSON.stringify(body),
    signal,
  });
  if (response.status === 204) return undefined;
  const answer = await response.json();
  if (response.ok) return answer;
  const { message, status, code: httpStatus, details } = answer.error;
  throw new CollaborationError({ message, status, httpStatus, details });
}
