import { z } from 'zod';
import { id, idList } from '../../../api/fields.ts';

const MAX_IDS = 30;
const ids = idList(MAX_IDS).optional();
const time = z.number().optional().meta({ description: 'Epoch milliseconds, exclusive.' });

/**
 * The filters of specification 4.5, which update, delete and count also take. Unknown filters are ignored.
 */
export const annotationFilters = {
  organizationId: id.optional(),
  documentId: id.optional(),
  documentIds: ids,
  folderId: id.optional(),
  locationIds: z
    .array(z.union([id, z.number()]))
    .max(MAX_IDS)
    .optional()
    .meta({ description: 'Compared as text.' }),
  annotationIds: ids,
  userIds: ids.meta({ description: 'Authors.' }),
  mentionedUserIds: ids,
  resolvedBy: id.optional(),
  agentId: id.optional(),
  executionId: id.optional(),
  agentType: z.enum(['built-in', 'custom', 'external']).optional(),
  agentSource: z.enum(['internal', 'external']).optional(),
  agentSuggestions: z.boolean().optional().meta({ description: 'Suggestions that agents made.' }),
  agentComments: z.boolean().optional().meta({ description: 'Comments that agents made.' }),
  statusIds: ids,
  updatedAfter: time,
  updatedBefore: time,
  createdAfter: time,
  createdBefore: time,
};

const Filters = z.object(annotationFilters);
type AnnotationFilters = z.infer<typeof Filters>;

/** Stands for a bound that is not given: no time is beyond it. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/**
 * Converts filters to the form that statements need: times are integers, and empty lists are null. But
 * if `documentId` is not one of the given `documentIds`, that list becomes empty, and nothing is found.
 */
export function toAnnotationQuery(filters: AnnotationFilters) {
  const { documentId, documentIds = [] } = filters;
  const areBothGiven = documentId !== undefined && documentIds.length > 0;
  return {
    organizationId: filters.organizationId ?? null,
    documentIds: areBothGiven
      ? documentIds.filter((each) => each === documentId)
      : list(documentId === undefined ? documentIds : [documentId]),
    folderIds: list(filters.folderId),
    locationKeys: list(filters.locationIds?.map(String)),
    annotationIds: list(filters.annotationIds),
    authorIds: list(filters.userIds),
    mentionedIds: list(filters.mentionedUserIds),
    resolverIds: list(filters.resolvedBy),
    agentIds: list(filters.agentId),
    executionIds: list(filters.executionId),
    agentTypes: list(filters.agentType),
    agentSources: list(filters.agentSource),
    agentKinds: list([
      ...(filters.agentSuggestions ? ['suggestion'] : []),
      ...(filters.agentComments ? ['comment'] : []),
    ]),
    statusIds: list(filters.statusIds),
    // An annotation is not updated before it is created, so `createdAfter` is a bound for the update too.
    updatedAfter: floor(
      Math.max(filters.updatedAfter ?? -NO_BOUND, filters.createdAfter ?? -NO_BOUND),
    ),
    updatedBefore: ceiling(filters.updatedBefore ?? NO_BOUND),
    createdAfter: floor(filters.createdAfter ?? -NO_BOUND),
    createdBefore: ceiling(filters.createdBefore ?? NO_BOUND),
  };
}
export type AnnotationQuery = ReturnType<typeof toAnnotationQuery>;

/** Whether a query has a bound in time. */
export const hasTimes = (query: AnnotationQuery): boolean =>
  Math.max(query.createdAfter, query.updatedAfter) > -NO_BOUND ||
  Math.min(query.createdBefore, query.updatedBefore) < NO_BOUND;

/** Returns each value once; null if there is none. Null means that there is no such filter. */
function list(values: string | string[] | undefined): string[] | null {
  const all = [...new Set(typeof values === 'string' ? [values] : values)];
  return all.length > 0 ? all : null;
}

const clamped = (time: number) => Math.min(NO_BOUND, Math.max(-NO_BOUND, time));
const floor = (time: number) => clamped(Math.floor(time));
const ceiling = (time: number) => clamped(Math.ceil(time));
