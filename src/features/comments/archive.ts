import {
  type ArchivedTable,
  namesOrganization,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

const ofAnnotation = sql`EXISTS (
  SELECT FROM comment_annotations annotation
  WHERE annotation.tenant_id = ${TENANT} AND annotation.annotation_id = t.annotation_id
    AND annotation.organization_id = ${ORGANIZATION})`;

export const archivedAnnotations: ArchivedTable = {
  name: 'comment_annotations',
  ofOrganization: namesOrganization,
};

export const archivedCounters: ArchivedTable = {
  name: 'annotation_counters',
  ofOrganization: namesOrganization,
};

export const archivedComments: ArchivedTable = { name: 'comments', ofOrganization: ofAnnotation };

export const archivedReactions: ArchivedTable = {
  name: 'comment_reactions',
  ofOrganization: ofAnnotation,
};

/** The users who subscribe to an annotation, were mentioned in it, or have read it. */
export const archivedAnnotationUsers: ArchivedTable = {
  name: 'annotation_users',
  ofOrganization: ofAnnotation,
};
