import { isObject } from '../json.ts';
import { fieldOf, isAttachment, type JsonObject, type NamedPeople } from './named-people.ts';

/** Matches fields that identify or locate a user's content. They are kept when the content is removed. */
const STRUCTURE_FIELD =
  /^(id|type|status|apiKey|channels|from|actionUser|resolvedBy|lastCommentBy|updatedBy|createdAt|lastUpdated|timestamp|comments|reactionAnnotations|fromUsers|visibility|visibilityConfig|context|subscribedUsers|unsubscribedUsers|assignedTo|priority|agent|notifyUsers|notifyUsersByUserId|notificationSource)$|[a-z]Ids?$/;
/** Matches fields that contain nested content of the same kind. */
const CONTENT_FIELD = /^(metadata|fields|content|previous)$/;
/** Matches fields that describe a user's action in a headline or message. */
const DISPLAY_FIELD = /^display/;
/** Presence statuses that say nothing about the user. */
const COMMON_STATUSES = new Set(['online', 'away', 'offline']);

/** Empties content that these people wrote, so that only its structure remains. Other content is kept. */
export function removeContents(value: unknown, field: string, people: NamedPeople): unknown {
  if (Array.isArray(value)) return value.map((item) => removeContents(item, field, people));
  if (!isObject(value)) return value;
  const kept = isTheirContent(value, people)
    ? withoutContents(value)
    : withoutTheirParts(value, people);
  // A status that is not a common one was written by the user, so it is replaced.
  const hasOwnStatus = typeof kept.status === 'string' && !COMMON_STATUSES.has(kept.status);
  if (hasOwnStatus && people.describedBy(value, field)) kept.status = 'offline';
  return Object.fromEntries(
    Object.entries(kept).map(([key, item]) => [
      key,
      removeContents(item, fieldOf(key, field), people),
    ]),
  );
}

/** Whether one of the people wrote the content, or did what it describes. */
function isTheirContent(value: JsonObject, people: NamedPeople): boolean {
  if (describesOneOf(value.from, 'from', people)) return true;
  if (people.withId(isAttachment(value) ? value.userId : value.authorId)) return true;
  const { fromUsers } = value;
  if (Array.isArray(fromUsers) && fromUsers.length > 0) {
    return fromUsers.every((one) => isObject(one) && describesOneOf(one.from, 'from', people));
  }
  return describesOneOf(value.actionUser, 'actionUser', people) && isMessage(value);
}

const describesOneOf = (user: unknown, field: string, people: NamedPeople): boolean =>
  isObject(user) && people.describedBy(user, field) !== undefined;

/**
 * Whether an object contains text about an action, such as an activity or a notification from a
 * caller. Events about others' comments contain no such text.
 */
const isMessage = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => DISPLAY_FIELD.test(key)) ||
  ('data' in value && !(isObject(value.data) && 'from' in value.data));

/** Empties the fields with content. They are not removed, because readers expect them. */
function withoutContents(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (STRUCTURE_FIELD.test(key)) return [key, item];
      if (CONTENT_FIELD.test(key) && isObject(item)) return [key, withoutContents(item)];
      return [key, emptied(item)];
    }),
  );
}

function emptied(item: unknown): unknown {
  if (typeof item === 'string') return '';
  if (Array.isArray(item)) return [];
  return isObject(item) ? {} : item;
}

/** Removes the people's parts in others' content: their reactions, and the location of their comments. */
function withoutTheirParts(value: JsonObject, people: NamedPeople): JsonObject {
  const kept = { ...value };
  if (isObject(value.reaction) && describesOneOf(value.actionUser, 'actionUser', people)) {
    kept.reaction = withoutContents(value.reaction);
  }
  const source = value.notificationSourceData;
  if ('location' in value && isObject(source) && isTheirContent(source, people)) kept.location = {};
  return kept;
}
