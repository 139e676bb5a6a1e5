import { AppError } from '../../platform/errors.ts';
import type { AuthLevel } from '../operation-meta.ts';

/**
 * The roles of people in the console. A reader sees everything but secrets. An operator may also do what
 * an API key may do, and sees secrets only after signing in with the token of that key. An owner may also
 * manage the API keys of a workspace, and an administrator all workspaces.
 */
export type ConsoleRole = 'reader' | 'operator' | 'owner' | 'administrator';

/** A person whom the console signed in, in place of credentials in headers. */
export interface SignedIn {
  /** How the person is named in the console. */
  name: string;
  role: ConsoleRole;
  /** The workspace that the call is for. The person has access to it. */
  workspaceId: string | undefined;
  /** The API key that the call is for. The person has access to it. */
  apiKey: string | undefined;
  /** The only workspace or API key to which the person has access. If empty, the person has access to all. */
  bounds: { workspaceId?: string; apiKey?: string };
  /** Records an action in the audit log. @returns a function that records the HTTP status of its response */
  record?(action: AuditedAction): Promise<(status: number) => Promise<void>>;
}

/** A change by a person, or a call that showed the person a secret. */
export interface AuditedAction {
  operation: string;
  requestId: string;
  input: unknown;
}

interface Call {
  signedIn?: SignedIn | undefined;
}

interface CallFacts {
  level: AuthLevel;
  type: 'query' | 'mutation' | 'subscription';
  /** Whether the response contains secrets. */
  givesSecrets: boolean;
}

/**
 * Returns the key under which rate limits, queues and budgets count a call: `callerId`, the API key or
 * workspace that was authenticated. The calls of a person in the console count under the API key or
 * workspace to which the person is bound, or else under the person.
 */
export const limitKeyOf = ({ signedIn }: Call, callerId: string): string =>
  signedIn
    ? (signedIn.bounds.apiKey ?? signedIn.bounds.workspaceId ?? `console ${signedIn.name}`)
    : callerId;

/** @throws PERMISSION_DENIED if the role of the signed-in person does not allow the call */
export function requireRole({ signedIn }: Call, call: CallFacts): void {
  if (signedIn && !mayCall(signedIn, call)) {
    throw new AppError(
      'PERMISSION_DENIED',
      `The role ${signedIn.role} in the console does not allow this.`,
    );
  }
}

function mayCall({ role, bounds }: SignedIn, { level, type, givesSecrets }: CallFacts): boolean {
  const isRead = type !== 'mutation' && !givesSecrets;
  // A person who signed in with the token of the key itself may see its other secrets, too.
  const hasKeyToken = bounds.apiKey !== undefined;
  switch (role) {
    case 'administrator':
      return true;
    case 'owner':
      return level !== 'admin';
    case 'operator':
      return level === 'apiKey' ? hasKeyToken || !givesSecrets : level === 'workspace' && isRead;
    case 'reader':
      return level !== 'admin' && isRead;
  }
}

/**
 * Returns the signed-in person of a call that only the console makes.
 *
 * @throws UNAUTHENTICATED
 */
export function requirePerson({ signedIn }: Call): SignedIn {
  if (!signedIn) throw new AppError('UNAUTHENTICATED', 'Sign in to the console first.');
  return signedIn;
}

/** @throws FAILED_PRECONDITION for a call that names no API key or workspace */
export function requireChoice(id: string | undefined, noun: 'API key' | 'workspace'): string {
  if (id === undefined) throw new AppError('FAILED_PRECONDITION', `Choose a ${noun} first.`);
  return id;
}
