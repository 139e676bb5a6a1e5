import {
  type ArchivedTable,
  isInScope,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';
import { isAccessContext } from '../access/access-context.ts';

/** Refuses an invalid visibility or access context, which would make workers that serve all keys fail. */
export const archivedAnnotations: ArchivedTable = {
  name: 'comment_annotations',
  async finish(_parts, tx, scope) {
    const [invalid] = await tx.query<{ id: string }>(sql`
      SELECT annotation_id AS id FROM comment_annotations
      WHERE ${isInScope(scope)}
        AND NOT (${isAccessContext(sql`access`)}
          AND COALESCE(jsonb_typeof(visibility->'userIds'), 'array') = 'array') LIMIT 1`);
    if (!invalid) return;
    throw invalidArgument(
      `The archive cannot be imported: the annotation ${invalid.id} has no valid visibility.`,
    );
  },
};

/** Returns the archived table of this name, whose rows belong to annotations. */
export const ofAnnotations = (name: string): ArchivedTable => ({
  name,
  ofOrganization: sql`EXISTS (
    SELECT FROM comment_annotations annotation
    WHERE annotation.tenant_id = ${TENANT} AND annotation.annotation_id = t.annotation_id
      AND annotation.organization_id = ${ORGANIZATION})`,
});
