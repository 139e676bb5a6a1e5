import { z } from 'zod';
import { batch, id, pageSize, pageToken } from '../../../api/fields.ts';
import { annotationInput, updatedData } from '../input-schemas.ts';
import { presentedAnnotation } from '../response-schemas.ts';
import { annotationFilters } from './filters.ts';

export const place = { organizationId: id, documentId: id };

export const AddAnnotations = z.object({
  ...place,
  createOrganization: z.boolean().default(false),
  createDocument: z.boolean().default(false),
  verifyUserPermissions: z.boolean().default(false).meta({
    description: 'Whether to refuse annotations whose authors have no access to the document.',
  }),
  commentAnnotations: batch(annotationInput),
});
export type AddAnnotationsInput = z.infer<typeof AddAnnotations>;

const annotationOutcome = z
  .object({
    success: z.boolean(),
    annotationId: z.string(),
    commentIds: z.array(z.number()),
    message: z.string(),
  })
  .meta({ id: 'CommentAnnotationOutcome' });
export type AnnotationOutcome = z.infer<typeof annotationOutcome>;
export const annotationOutcomes = z
  .record(z.string(), annotationOutcome)
  .meta({ id: 'CommentAnnotationOutcomes' });

export const GetGroupedAnnotations = z.object({
  ...annotationFilters,
  order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'By lastUpdated.' }),
  pageSize,
  pageToken,
});

export type GetGroupedAnnotationsInput = z.infer<typeof GetGroupedAnnotations>;

/** The input of the operation `get` (specification 4.5). */
export const GetAnnotations = GetGroupedAnnotations.extend({
  groupByDocumentId: z.boolean().default(false).meta({
    description:
      'Whether to return `data` as a map by document id. Generated clients should call getGrouped, whose result has that type.',
  }),
});
export type GetAnnotationsInput = z.infer<typeof GetAnnotations>;

const byDocument = z
  .record(z.string(), z.array(presentedAnnotation))
  .meta({ description: 'By document id.' });
const nextPageToken = z.string().optional();

export const groupedAnnotationPage = z.object({ data: byDocument, nextPageToken });
export const annotationPage = z.object({
  data: z.union([z.array(presentedAnnotation.nullable()), byDocument]),
  nextPageToken,
});

/**
 * An update or deletion needs a filter, so that none affects a whole organization by mistake. An empty list
 * is refused: it would filter nothing, and a list that a caller computes may be empty by mistake.
 */
function checkFilters(input: object, check: z.core.$RefinementCtx): void {
  const filters = Object.entries(input).filter(
    ([name, value]) =>
      name in annotationFilters &&
      name !== 'organizationId' &&
      value !== undefined &&
      value !== false,
  );
  for (const [name, value] of filters) {
    if (Array.isArray(value) && value.length === 0) {
      check.addIssue({ code: 'custom', path: [name], message: 'must not be empty' });
    }
  }
  if (filters.length > 0) return;
  check.addIssue({
    code: 'custom',
    path: ['documentId'],
    message: 'must be given, unless another filter is',
  });
}

export const UpdateAnnotations = z
  .object({
    ...annotationFilters,
    organizationId: id,
    updatedData,
    triggerNotification: z.boolean().optional(),
  })
  .superRefine(checkFilters);
export type UpdateAnnotationsInput = z.infer<typeof UpdateAnnotations>;

export const DeleteAnnotations = z
  .object({ ...annotationFilters, organizationId: id })
  .superRefine(checkFilters);
export type DeleteAnnotationsInput = z.infer<typeof DeleteAnnotations>;

export const CountAnnotations = z.object({
  ...annotationFilters,
  organizationId: id,
  userId: id.optional().meta({
    description:
      'The user whose unread annotations are counted. With a user token, it is the user of the token. If absent, the annotations that nobody has read are counted.',
  }),
});
export type CountAnnotationsInput = z.infer<typeof CountAnnotations>;

export const annotationCounts = z.record(
  z.string(),
  z.object({ total: z.number(), unread: z.number() }),
);

/** The fields of a call about one user and one annotation. The place can be looked up, so it is optional. */
export const personalFields = {
  organizationId: id.optional(),
  documentId: id.optional(),
  annotationId: id,
  userId: id.optional().meta({
    description: 'Required with an API key. With a user token, it is the user of the token.',
  }),
};

export const Personal = z.object(personalFields);
export type PersonalInput = z.infer<typeof Personal>;
