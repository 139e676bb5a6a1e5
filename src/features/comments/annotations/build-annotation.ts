import type { AnnotationRow, FullAnnotation } from '../annotation-row.ts';
import type { AnnotationInput } from '../fields.ts';
import { locationIdOf } from '../locations.ts';
import { completeStatus } from '../statuses.ts';
import { visibilityOf } from '../visibility/private-comments.ts';
import { autoSubscribe, mergePeople } from './annotation-users.ts';
import { buildComments } from './build-comments.ts';
import type { ResolvedUsers } from './ensure-users.ts';

interface Facts {
  place: { organizationId: string; documentId: string; folderId: string | null };
  users: ResolvedUsers;
  now: number;
  annotationNumber: number;
  /** Position of the annotation in the input, for issues about it. */
  path: string;
}

/** A new annotation. Its author is that of its first comment. */
export function buildAnnotation(
  given: AnnotationInput & { annotationId: string },
  { place, users, now, annotationNumber, path }: Facts,
): FullAnnotation {
  const from = users.author(given.commentData[0]?.from, `${path}.commentData[0].from`);
  const built = buildComments(given.commentData, {
    users,
    now,
    nextId: 1,
    path: `${path}.commentData`,
  });
  const last = built.rows.at(-1);
  const row: AnnotationRow = {
    ...place,
    annotationId: given.annotationId,
    annotationNumber,
    type: given.type,
    from,
    status: completeStatus(given.status),
    resolvedBy: null,
    visibility: visibilityOf(given.visibility, place.organizationId),
    access: given.context?.access ?? null,
    fields: shownFields(given, users),
    nextCommentId: built.nextId,
    createdAt: now,
    lastUpdated: now,
    lastCommentAt: now,
    lastCommentBy: last?.from.userId ?? from.userId,
  };
  const people = mergePeople([], autoSubscribe(built.rows));
  return { ...row, comments: built.rows, reactions: [], people };
}

function shownFields(given: AnnotationInput, users: ResolvedUsers): AnnotationRow['fields'] {
  const { location, assignedTo, priority, suggestion, customList } = given;
  const { pageInfo, metadata, subscribedGroups } = given;
  return onlyGiven({
    location,
    locationId: locationIdOf(given),
    assignedTo: assignedTo && users.complete(assignedTo),
    priority,
    suggestion,
    customList,
    pageInfo,
    isByUser: pageInfo && users.actor ? true : undefined,
    metadata,
    subscribedGroups,
    agent: users.agent(given.commentData[0]?.agent),
  });
}

/** Drops undefined fields, so that events show an annotation exactly as later reads do. */
export const onlyGiven = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
