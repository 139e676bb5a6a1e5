import { isObject } from '../json.ts';
import { fieldOf, isAttachment, type JsonObject, type NamedPeople } from './named-people.ts';

/** Fields that identify or locate a user's content. They stay when the content is removed. */
const STRUCTURE_FIELD =
  /^(id|type|status|apiKey|channels|from|actionUser|resolvedBy|lastCommentBy|updatedBy|createdAt|lastUpdated|timestamp|comments|reactionAnnotations|fromUsers|visibility|visibilityConfig|context|subscribedUsers|unsubscribedUsers|assignedTo|priority|agent|notifyUsers|notifyUsersByUserId|notificationSource)$|[a-z]Ids?$/;
/** Fields that contain nested content of the same kind. */
const CONTENT_FIELD = /^(metadata|fields|content|previous)$/;
/** Fields that describe a user's action in a headline or message. */
const DISPLAY_FIELD = /^display/;
/** Statuses of a presence that say nothing about the user. */
const COMMON_STATUSES = new Set(['online', 'away', 'offline']);

/** Returns JSON with the mere structure of content that these people wrote. Other content stays. */
export function removeContents(value: unknown, field: string, people: NamedPeople): unknown {
  if (Array.isArray(value)) return value.map((item) => removeContents(item, field, people));
  if (!isObject(value)) return value;
  const kept = isTheirContent(value, people)
    ? withoutContents(value)
    : withoutTheirParts(value, people);
  // A user may have written any text as the status of a presence.
  const hasText = typeof kept.status === 'string' && !COMMON_STATUSES.has(kept.status);
  if (hasText && people.describedBy(value, field)) kept.status = 'offline';
  return Object.fromEntries(
    Object.entries(kept).map(([key, item]) => [
      key,
      removeContents(item, fieldOf(key, field), people),
    ]),
  );
}

/** Whether one of the people wrote the content, or whether it describes an action of theirs. */
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
 * Whether the text describes an action, as in activities and notifications from callers. Events
 * about comments of others contain no such text.
 */
const isMessage = (value: JsonObject): boolean =>
  Object.keys(value).some((key) => DISPLAY_FIELD.test(key)) ||
  ('data' in value && !(isObject(value.data) && 'from' in value.data));

/** Empties the fields with content. They do not become absent, since readers expect them. */
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

/** Removes the parts of others' content that come from the people: reactions, and where comments are. */
function withoutTheirParts(value: JsonObject, people: NamedPeople): JsonObject {
  const kept = { ...value };
  if (isObject(value.reaction) && describesOneOf(value.actionUser, 'actionUser', people)) {
    kept.reaction = withoutContents(value.reaction);
  }
  const source = value.notificationSourceData;
  if ('location' in value && isObject(source) && isTheirContent(source, people)) kept.location = {};
  return kept;
}
