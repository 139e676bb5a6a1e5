import { HEADERS } from '../../api/credentials/headers.ts';
import type { AuthLevel, OperationMeta } from '../../api/operation-meta.ts';

// The parts of the OpenAPI document that operations share, except for their failures.

const header = (name: string, description: string) => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

export const SECURITY_SCHEMES = {
  apiKey: header(HEADERS.apiKey, 'The API key, sent together with its auth token.'),
  authToken: header(HEADERS.authToken, 'An auth token of the API key.'),
  workspaceId: header(
    HEADERS.workspaceId,
    "The workspace's id, sent together with its auth token.",
  ),
  workspaceAuthToken: header(HEADERS.workspaceAuthToken, 'The auth token of the workspace.'),
  adminToken: header(HEADERS.adminToken, 'The token of the administrator of this server.'),
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token from `auth.generateToken`, limited to what its user may do.',
  },
};

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, string[]>>;

/** All headers of one requirement must be sent together. */
const REQUIREMENTS: Record<AuthLevel, Requirement> = {
  admin: { adminToken: [] },
  workspace: { workspaceId: [], workspaceAuthToken: [] },
  apiKey: { apiKey: [], authToken: [] },
};

/**
 * Returns the alternative credentials of an operation: the headers of its level, and a user token where
 * the operation accepts one. Some operations accept only user tokens.
 */
export const securityOf = ({
  level,
  userToken,
}: Pick<OperationMeta, 'level' | 'userToken'>): Requirement[] => [
  ...(userToken === 'only' ? [] : [REQUIREMENTS[level]]),
  ...(userToken ? [{ userToken: [] }] : []),
];

export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a repeated call safe: for 24 hours the same key with the same body gets the first response again.',
    schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[\\x21-\\x7e]+$' },
  },
  RequestId: {
    name: 'x-request-id',
    in: 'header',
    required: false,
    description:
      'An id for this request: 1 to 128 visible ASCII characters. Any other value is replaced by a generated id.',
    schema: { type: 'string' },
  },
};

export const RESPONSE_HEADERS = {
  RequestId: {
    description: 'The id of the request, as sent or generated.',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  RetryAfter: {
    description: 'Seconds until a retry may succeed.',
    schema: { type: 'integer', minimum: 1 },
  },
};
