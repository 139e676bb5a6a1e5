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

const ID_FIELDS = ['id', 'userId'];
const NAME_FIELDS = ['name', 'displayName', 'fullName', 'username', 'userName'];
const INITIAL_FIELDS = ['initial', 'initials'];
// biome-ignore format: one line for each field is too long
const PICTURE_FIELDS = [
  'photoUrl', 'photoURL', 'photo', 'avatar', 'avatarUrl', 'avatarURL',
  'picture', 'pictureUrl', 'image', 'imageUrl',
];
const EMAIL_FIELDS = ['email', 'emailAddress'];
const AGENT_FIELDS = ['agent', 'agentId'];

/**
 * Replaces the identity in a state with that of the authenticated user. Colours, cursors and fields of
 * the application itself pass unchanged.
 */
export function correctState(state: State, sender: Sender): State {
  // Lexical puts the name at the top level. An `id` there may belong to anything, and passes unchanged.
  const corrected = correct(state, sender, TOP_LEVEL_FIELDS);
  for (const field of USER_FIELDS) {
    const user = state[field];
    if (isObject(user)) corrected[field] = correct(user, sender, USER_OBJECT_FIELDS);
  }
  if (isObject(state.user)) corrected.user = { ...Object(corrected.user), ...ownFields(sender) };
  else if (state.user != null) corrected.user = nameOf(sender);
  return corrected;
}

const TOP_LEVEL_FIELDS = ['userId', 'name', ...EMAIL_FIELDS, ...AGENT_FIELDS];
const USER_OBJECT_FIELDS = [
  ...ID_FIELDS,
  ...NAME_FIELDS,
  ...INITIAL_FIELDS,
  ...PICTURE_FIELDS,
  ...EMAIL_FIELDS,
  ...AGENT_FIELDS,
];

/** Replaces the values of these fields with the known ones, and removes fields without a known value. */
function correct(state: State, sender: Sender, fields: readonly string[]): State {
  const corrected: State = { ...state };
  for (const field of fields) {
    const known = state[field] == null ? undefined : knownValue(field, sender);
    if (known === undefined) delete corrected[field];
    else corrected[field] = known;
  }
  return corrected;
}

/** Returns the known value of a field; undefined for an email, which other users must not see. */
function knownValue(field: string, sender: Sender): unknown {
  const { person, agent } = sender;
  if (ID_FIELDS.includes(field)) return person.userId;
  if (NAME_FIELDS.includes(field)) return nameOf(sender);
  if (INITIAL_FIELDS.includes(field)) return person.initial;
  if (PICTURE_FIELDS.includes(field)) return person.photoUrl;
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
