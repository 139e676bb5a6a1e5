import type { RequestContext } from '../context.ts';
import { HEADERS } from './headers.ts';

/** What a refused request did wrong, as far as the names and forms of its headers show. */

type Request = Pick<RequestContext, 'header'>;

const has = ({ header }: Request, ...names: string[]): boolean =>
  names.some((name) => header(name) !== undefined);

/** User tokens are JSON Web Tokens, and auth tokens have no dots. */
const isUserToken = (text = ''): boolean => text.split('.').length === 3;

/** Returns the message for a request without the credentials of an API key. */
export function missingKey(request: Request, allowUserToken: boolean): string {
  const { apiKey, authToken, authorization, workspaceId, workspaceAuthToken } = HEADERS;
  const missing = [apiKey, authToken].filter((name) => !has(request, name));
  const needs = `This operation needs the headers ${apiKey} and ${authToken}${allowUserToken ? `, or "${authorization}: Bearer <user token>"` : ''}`;
  if (has(request, workspaceId, workspaceAuthToken)) {
    return `${needs}; those of a workspace are not enough.`;
  }
  if (has(request, authorization)) {
    return `${needs}. The header ${authorization} must be "Bearer", a space and a user token.`;
  }
  return `${needs}; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`;
}

/** Returns the message for an unknown pair of API key and auth token. */
export function wrongKey({ header }: Request): string {
  return isUserToken(header(HEADERS.authToken))
    ? `Invalid API key or auth token. A user token is sent as "${HEADERS.authorization}: Bearer <user token>".`
    : 'Invalid API key or auth token.';
}

/** Returns a hint for an invalid bearer token that is no user token at all. */
export const notAUserToken = (token: string): string | undefined =>
  isUserToken(token)
    ? undefined
    : `Invalid user token. The auth token of an API key is sent as ${HEADERS.authToken}, beside ${HEADERS.apiKey}.`;

/** Returns the message for a request without the credentials of a workspace. */
export function missingWorkspace(request: Request): string {
  const { workspaceId, workspaceAuthToken, apiKey, authToken } = HEADERS;
  const needs = `This operation needs the headers ${workspaceId} and ${workspaceAuthToken}`;
  return has(request, apiKey, authToken)
    ? `${needs}; those of an API key are not enough.`
    : `${needs}.`;
}

export const MISSING_ADMIN = `This operation needs the header ${HEADERS.adminToken}.`;
