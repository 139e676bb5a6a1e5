import { type Queryable, sql } from '../../../platform/database/database.ts';
import { allows, isActive } from '../../access/access.ts';
import { type AccessContext, holdsContext } from '../../access/access-context.ts';
import type { AccessFacts } from '../../access/load-access.ts';
import { loadAccessAcross } from '../../access/load-access-across.ts';
import type { Visibility } from '../annotation-row.ts';

/** Who may see annotations at this moment (decisions section 4). */
export interface AnnotationAccess {
  /** False as well where the annotation, or its document, is there no more. */
  isVisible(annotationId: string, userId: string): boolean;
}

interface PlacedAnnotation {
  annotationId: string;
  organizationId: string;
  documentId: string;
  authorId: string;
  visibility: Visibility;
  access: AccessContext | null;
}

/**
 * Four statements, whatever the number of annotations, of their organizations, and of users.
 *
 * @param now Unix seconds
 */
export async function loadAnnotationAccess(
  db: Queryable,
  {
    tenantId,
    annotationIds,
    userIds,
  }: Record<'annotationIds' | 'userIds', string[]> & {
    tenantId: string;
  },
  now: number,
): Promise<AnnotationAccess> {
  const rows = await db.query<PlacedAnnotation>(sql`
    SELECT annotation_id AS "annotationId", organization_id AS "organizationId",
           document_id AS "documentId", author_id AS "authorId", visibility, access
    FROM comment_annotations
    WHERE tenant_id = ${tenantId} AND annotation_id = ANY(${annotationIds})`);
  const annotations = new Map(rows.map((row) => [row.annotationId, row]));
  const organizationIds = rows.flatMap(({ visibility }) => visibility.organizationId ?? []);
  const asked = { tenantId, documents: rows, organizationIds, userIds };
  const facts = await loadAccessAcross(db, asked);
  return {
    isVisible(annotationId, userId) {
      const annotation = annotations.get(annotationId);
      return annotation !== undefined && maySee(facts, annotation, userId, now);
    },
  };
}

function maySee(
  facts: Map<string, AccessFacts>,
  { organizationId, documentId, authorId, visibility, access }: PlacedAnnotation,
  userId: string,
  now: number,
): boolean {
  const here = facts.get(organizationId);
  if (!here || !allows(here.document(userId, documentId, now), 'viewer')) return false;
  if (access && !holdsContext(here, { userId, documentId }, access, now)) return false;
  if (visibility.type === 'public' || userId === authorId) return true;
  if (visibility.type === 'restricted') return visibility.userIds?.includes(userId) ?? false;
  const grant = facts.get(visibility.organizationId ?? '')?.organizationGrant(userId);
  return grant !== undefined && isActive(grant, now);
}
