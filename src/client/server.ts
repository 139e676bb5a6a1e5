import type { AuthGenerateTokenInput } from '../api/contract.ts';
import { type ClientOptions, type CollaborationClient, createClient } from './create-client.ts';
import { CollaborationError } from './error.ts';

/** The credentials of an API key. They must never reach a browser. */
export type ServerClientOptions = Omit<Extract<ClientOptions, { apiKey: string }>, 'token'>;

/** Creates a client for your own server. It may do everything that the API key allows. */
export function createServerClient(options: ServerClientOptions): CollaborationClient {
  return createClient(options);
}

type Identified = AuthGenerateTokenInput | null | undefined;

/**
 * Returns a handler for the app's own token endpoint, for any framework with `(Request) => Response` handlers:
 *
 *     export const POST = tokenHandler(client, async (request) => {
 *       const user = await sessionOf(request);
 *       return user && { userId: user.id, userProperties: { name: user.name } };
 *     });
 *
 * @param identify returns the user of a request and the organizations that the user may enter (the input of
 * `auth.generateToken`); for null or undefined, the handler responds with 401
 * @returns a handler that responds with `{ token, expiresAt }`, which `createClient` accepts unchanged, or with 503
 * while the collaboration server cannot be reached
 */
export function tokenHandler(
  client: CollaborationClient,
  identify: (request: Request) => Promise<Identified> | Identified,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const user = await identify(request);
    const headers = { 'cache-control': 'no-store' };
    if (!user) return Response.json({ error: 'Sign in first.' }, { status: 401, headers });
    try {
      return Response.json(await client.auth.generateToken(user), { headers });
    } catch (error) {
      if (!(error instanceof CollaborationError) || !error.retryable) throw error;
      // The browser asks again after a 503. If this threw instead, an app that does not catch the error would crash.
      return new Response(error.message, { status: 503, headers });
    }
  };
}

export type { AuthGenerateTokenInput } from '../api/contract.ts';
export type { CollaborationClient } from './create-client.ts';
export { CollaborationError };
