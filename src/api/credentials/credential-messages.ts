import { HEADERS } from './headers.ts';

// Messages for missing or wrong credentials. They suggest what the caller has mixed up.

interface Request {
  header(name: string): string | undefined;
  /** Present for subscriptions only. */
  sendStartPosition?: unknown;
}

const has = ({ header }: Request, ...names: string[]): boolean =>
  names.some((name) => Boolean(header(name)));

/** User tokens are JSON Web Tokens, and auth tokens have no dots. */
const isUserToken = (text = ''): boolean => text.split('.').length === 3;

/** Headers that other services accept, but this server does not. */
const UNKNOWN_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-auth-token', 'auth-token'];

/** Returns the message for a request without the credentials of an API key. */
export function missingKeyMessage(request: Request, allowUserToken: boolean): string {
  const { apiKey, authToken, authorization, workspaceId, workspaceAuthToken } = HEADERS;
  const missing = [apiKey, authToken].filter((name) => !has(request, name));
  const alternative = allowUserToken ? `, or "${authorization}: Bearer <user token>"` : '';
  const needs = `This operation needs the headers ${apiKey} and ${authToken}${alternative}`;
  if (isUserToken(request.header(authToken))) return `${needs}. ${USER_TOKEN_HINT}`;
  if (has(request, workspaceId, workspaceAuthToken)) {
    return `${needs}; those of a workspace are not enough.`;
  }
  if (allowUserToken && has(request, authorization)) {
    return `${needs}. The header ${authorization} must be "Bearer", a space and a user token.`;
  }
  const unknown = UNKNOWN_HEADERS.find((name) => has(request, name));
  const sources = request.sendStartPosition ? SOURCES_OF_SUBSCRIPTIONS : SOURCES;
  const hint = unknown
    ? `The header ${unknown} is not read.`
    : `Credentials are read from ${sources}.`;
  return `${needs}; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing. ${hint}`;
}

const SOURCES = 'headers, not from the URL or the body';
/** Browsers cannot send headers when they open subscriptions. */
const SOURCES_OF_SUBSCRIPTIONS =
  'headers, or from connectionParams: { token } over a WebSocket, { ticket } with an EventSource';

const USER_TOKEN_HINT = `A user token is sent as "${HEADERS.authorization}: Bearer <user token>".`;

/** Returns the message for an unknown pair of API key and auth token. */
export function wrongKeyMessage({ header }: Request): string {
  const { apiKey, authToken } = HEADERS;
  const key = header(apiKey) ?? '';
  const token = header(authToken) ?? '';
  if (isUserToken(token)) return `Invalid API key or auth token. ${USER_TOKEN_HINT}`;
  const areSwapped = /^[\w-]{43}$/.test(key) && /^\w{20}$/.test(token);
  const hint = areSwapped
    ? ` Are the two swapped? ${apiKey} is the shorter one, and ${authToken} the longer.`
    : '';
  return `Invalid API key or auth token.${hint}`;
}

/** Returns the message for a bearer token that does not have the form of a user token; undefined if it has. */
export const malformedTokenMessage = (token: string): string | undefined =>
  isUserToken(token)
    ? undefined
    : `Invalid user token. The auth token of an API key is sent as ${HEADERS.authToken}, beside ${HEADERS.apiKey}.`;

/** Returns the message for a request without the credentials of a workspace. */
export function missingWorkspaceMessage(request: Request): string {
  const { workspaceId, workspaceAuthToken, apiKey, authToken } = HEADERS;
  const needs = `This operation needs the headers ${workspaceId} and ${workspaceAuthToken}`;
  return has(request, apiKey, authToken)
    ? `${needs}; those of an API key are not enough.`
    : `${needs}.`;
}

export const MISSING_ADMIN_TOKEN = `This operation needs the header ${HEADERS.adminToken}.`;
