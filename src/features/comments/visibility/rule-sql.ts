import type { KeyContext } from '../../../api/context.ts';
import { empty, type Sql, sql } from '../../../platform/database/database.ts';
import type { AccessContext } from '../../access/access-context.ts';
import { isActiveGrant } from '../../access/active-grant.ts';

/** A user who wants to see annotations. Where it is undefined, the caller is an API key, which sees everything. */
export interface Viewer {
  userId: string;
  /**
   * The access contexts that the viewer holds, by document; null for a document that the viewer may
   * not see. `OTHER_DOCUMENTS` stands for all documents that are not listed.
   */
  documents: Record<string, AccessContext | null>;
  /** The documents on which the viewer may comment, but not edit. */
  commentsOnly: ReadonlySet<string>;
}

/** The key of all documents that are not listed. No document has an empty id. */
export const OTHER_DOCUMENTS = '';

/**
 * SQL: `AND` the viewer may see the annotation `a`. This is the rule of rule.ts, for a viewer whose
 * access to documents `requireViewer` has looked up. A document that is listed with null is hidden, since
 * COALESCE takes a JSON null as a value, and does not fall back to `OTHER_DOCUMENTS`.
 */
export function visibleTo(ctx: KeyContext, viewer: Viewer | undefined): Sql {
  if (!viewer) return empty;
  const documents = JSON.stringify(viewer.documents);
  return sql`
    AND (
      SELECT jsonb_typeof(held.context) = 'object' AND (a.access IS NULL OR NOT EXISTS (
        SELECT 1 FROM jsonb_each(a.access) AS needed(field, choices)
        WHERE NOT EXISTS (
          SELECT 1 FROM jsonb_array_elements_text(needed.choices) AS choice(value)
          WHERE held.context->needed.field ? choice.value)))
      FROM (
        SELECT COALESCE(viewer.documents->a.document_id, viewer.documents->${OTHER_DOCUMENTS}::text)
        FROM (VALUES (${documents}::jsonb)) AS viewer(documents)
      ) AS held(context)
    )
    AND ${isIncluded(ctx, viewer.userId)}`;
}

/** SQL: the visibility of the annotation `a` includes the user. This is only step 3 of the rule. */
export const isIncluded = ({ tenantId, clock }: KeyContext, userId: string): Sql => sql`
    (a.author_id = ${userId} OR a.visibility->>'type' = 'public'
      OR (a.visibility->>'type' = 'restricted' AND a.visibility->'userIds' ? ${userId})
      OR (a.visibility->>'type' = 'organizationPrivate' AND EXISTS (
        SELECT 1 FROM grants g
        WHERE g.tenant_id = ${tenantId} AND g.user_id = ${userId}
          AND g.organization_id = a.visibility->>'organizationId'
          AND g.resource_type = 'organization'
          AND ${isActiveGrant(sql`g`, clock)})))`;
