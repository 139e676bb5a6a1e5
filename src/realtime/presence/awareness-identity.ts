import type { AgentIdentity } from '../../api/fields.ts';
import type { KnownPerson } from '../../features/users/known-people.ts';
import { isObject } from '../../platform/json.ts';

export type State = Record<string, unknown>;

/** The authenticated sender of a state. */
export interface Sender {
  person: KnownPerson;
  /** The agent that the token was made for. */
  agent: AgentIdentity | undefined;
}

/** The fields in which editors describe their user: Tiptap and most others, Lexical, Slate. */
const USER_FIELDS = ['user', 'awarenessData', 'data'];

const IDS = ['id', 'userId'];
const NAMES = ['name', 'displayName', 'fullName', 'username', 'userName'];
const INITIALS = ['initial', 'initials'];
const PICTURES = [
  ...['photoUrl', 'photoURL', 'photo', 'avatar', 'avatarUrl', 'avatarURL'],
  ...['picture', 'pictureUrl', 'image', 'imageUrl'],
];
const ADDRESSES = ['email', 'emailAddress'];
const AGENTS = ['agent', 'agentId'];

/**
 * Replaces the identity in a state by the authenticated user's. Colours, cursors and fields of the
 * application itself pass unchanged.
 */
export function correctState(state: State, sender: Sender): State {
  // Lexical has the name at the top level, where an `id` may belong to anything.
  const corrected = correct(state, sender, ['userId', 'name', ...ADDRESSES, ...AGENTS]);
  for (const field of USER_FIELDS) {
    const user = state[field];
    if (isObject(user)) corrected[field] = correct(user, sender, IDENTITY_FIELDS);
  }
  if (isObject(state.user)) corrected.user = { ...Object(corrected.user), ...ownFields(sender) };
  else if (state.user != null) corrected.user = nameOf(sender);
  return corrected;
}

const IDENTITY_FIELDS = [...IDS, ...NAMES, ...INITIALS, ...PICTURES, ...ADDRESSES, ...AGENTS];

/** Replaces the values of these fields by the known ones, and removes fields without a known value. */
function correct(state: State, sender: Sender, fields: readonly string[]): State {
  const corrected: State = { ...state };
  for (const field of fields) {
    const known = state[field] == null ? undefined : knownValue(field, sender);
    if (known === undefined) delete corrected[field];
    else corrected[field] = known;
  }
  return corrected;
}

function knownValue(field: string, sender: Sender): unknown {
  const { person, agent } = sender;
  if (IDS.includes(field)) return person.userId;
  if (NAMES.includes(field)) return nameOf(sender);
  if (INITIALS.includes(field)) return person.initial;
  if (PICTURES.includes(field)) return person.photoUrl;
  if (field === 'agent') return agent;
  return field === 'agentId' ? agent?.agentId : undefined;
}

/** Returns the name that editors show next to a cursor; without a known name, the user id. */
const nameOf = ({ person }: Sender): string => person.name ?? person.userId;

function ownFields({ person: { userId, name, initial, photoUrl } }: Sender): State {
  return {
    id: userId,
    ...(name !== undefined && { name }),
    ...(initial !== undefined && { initial }),
    ...(photoUrl !== undefined && { photoUrl }),
  };
}
