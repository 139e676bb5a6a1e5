import {
  type ArchivedTable,
  namesOrganization,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { isAccessContext } from '../access/access-context.ts';

const ofAnnotation = sql`EXISTS (
  SELECT FROM comment_annotations annotation
  WHERE annotation.tenant_id = ${TENANT} AND annotation.annotation_id = t.annotation_id
    AND annotation.organization_id = ${ORGANIZATION})`;

/** Refuses an annotation without a valid visibility: workers that serve all keys would fail on it. */
export const archivedAnnotations: ArchivedTable = {
  name: 'comment_annotations',
  ofOrganization: namesOrganization,
  async finish(_parts, tx, { tenantId, organizationId = null }) {
    const [wrong] = await tx.query<{ id: string }>(sql`
      SELECT annotation_id AS id FROM comment_annotations
      WHERE tenant_id = ${tenantId}
        AND (${organizationId}::text IS NULL OR organization_id = ${organizationId})
        AND NOT (${isAccessContext(sql`access`)}
          AND COALESCE(jsonb_typeof(visibility->'userIds'), 'array') = 'array') LIMIT 1`);
    if (!wrong) return;
    throw invalidArgument(
      `The archive cannot be imported: the annotation ${wrong.id} has no valid visibility.`,
    );
  },
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
