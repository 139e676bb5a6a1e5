import { HEADERS } from './headers.ts';

/** Explains why a request was refused, as far as the names and forms of its headers show. */

interface Request {
  header(name: string): string | undefined;
  /** Only subscriptions have it. */
  sendStartPosition?: unknown;
}

const has = ({ header }: Request, ...names: string[]): boolean =>
  names.some((name) => Boolean(header(name)));

/** User tokens are JSON Web Tokens, and auth tokens have no dots. */
const isUserToken = (text = ''): boolean => text.split('.').length === 3;

/** Headers that other services read. */
const OTHER_NAMES = ['x-api-key', 'api-key', 'apikey', 'x-auth-token', 'auth-token'];

/** Returns the message for a request without the credentials of an API key. */
export function missingKey(request: Request, allowUserToken: boolean): string {
  const { apiKey, authToken, authorization, workspaceId, workspaceAuthToken } = HEADERS;
  const missing = [apiKey, authToken].filter((name) => !has(request, name));
  const needs = `This operation needs the headers ${apiKey} and ${authToken}${allowUserToken ? `, or "${authorization}: Bearer <user token>"` : ''}`;
  if (isUserToken(request.header(authToken))) return `${needs}. ${WHERE_TOKENS_GO}`;
  if (has(request, workspaceId, workspaceAuthToken)) {
    return `${needs}; those of a workspace are not enough.`;
  }
  if (has(request, authorization)) {
    return `${needs}. The header ${authorization} must be "Bearer", a space and a user token.`;
  }
  const other = OTHER_NAMES.find((name) => has(request, name));
  const hint = other
    ? `${other} is not read.`
    : `Credentials are read from headers${request.sendStartPosition ? CONNECTION_PARAMS : ', not from the address or the body'}.`;
  return `${needs}; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. ${hint}`;
}

/** Browsers put the credentials of subscriptions here, since they cannot send headers. */
const CONNECTION_PARAMS =
  ', or from connectionParams: { token } over a WebSocket, { ticket } with an EventSource';

const WHERE_TOKENS_GO = `A user token is sent as "${HEADERS.authorization}: Bearer <user token>".`;

/** Returns the message for an unknown pair of API key and auth token. */
export function wrongKey({ header }: Request): string {
  const { apiKey, authToken } = HEADERS;
  const [key = '', token = ''] = [header(apiKey), header(authToken)];
  if (isUserToken(token)) return `Invalid API key or auth token. ${WHERE_TOKENS_GO}`;
  const areSwapped = /^[\w-]{43}$/.test(key) && /^\w{20}$/.test(token);
  const hint = areSwapped ? ` ${apiKey} is the shorter one, and ${authToken} the longer.` : '';
  return `Invalid API key or auth token.${hint}`;
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
