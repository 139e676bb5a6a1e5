import {
  type ArchivedTable,
  isInScope,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { isAccessContext } from '../access/access-context.ts';

/** Refuses an annotation without a valid visibility: workers that serve all keys would fail on it. */
export const archivedAnnotations: ArchivedTable = {
  name: 'comment_annotations',
  async finish(_parts, tx, scope) {
    const [wrong] = await tx.query<{ id: string }>(sql`
      SELECT annotation_id AS id FROM comment_annotations
      WHERE ${isInScope(scope)}
        AND NOT (${isAccessContext(sql`access`)}
          AND COALESCE(jsonb_typeof(visibility->'userIds'), 'array') = 'array') LIMIT 1`);
    if (!wrong) return;
    throw invalidArgument(
      `The archive cannot be imported: the annotation ${wrong.id} has no valid visibility.`,
    );
  },
};

/** A table whose rows belong to an annotation. */
export const ofAnnotations = (name: string): ArchivedTable => ({
  name,
  ofOrganization: sql`EXISTS (
    SELECT FROM comment_annotations annotation
    WHERE annotation.tenant_id = ${TENANT} AND annotation.annotation_id = t.annotation_id
      AND annotation.organization_id = ${ORGANIZATION})`,
});
