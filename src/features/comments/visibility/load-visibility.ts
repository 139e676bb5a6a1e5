import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { type Queryable, sql } from '../../../platform/database/database.ts';
import { type AccessFacts, loadAccessAcross } from '../../access/load-access.ts';
import { namedAnnotations } from '../load-annotations.ts';
import type { EventAccess } from './presented-access.ts';
import { type AnnotationAccess, hidingStep, type VisibilityStep } from './rule.ts';

interface LoadedVisibility {
  /** Also false if the annotation, or its document, no longer exists. */
  isVisible(annotationId: string, userId: string): boolean;
  /**
   * Returns the step of the rule that hides the annotation as it is now, or else as it was `earlier`;
   * `missing` if the annotation no longer exists; undefined if nothing hides it.
   */
  hidingStep(
    annotationId: string,
    userId: string,
    earlier?: LocatedAnnotation,
  ): VisibilityStep | 'missing' | undefined;
}

export interface LocatedAnnotation extends AnnotationAccess {
  annotationId: string;
  organizationId: string;
}

/**
 * Loads the facts that the visibility rule needs about these annotations and users, in four statements.
 *
 * @param earlierStates the states that will be passed to `hidingStep` as `earlier`
 */
export async function loadVisibility(
  db: Queryable,
  { tenantId, annotationIds, userIds }: Viewers & { annotationIds: string[] },
  now: number,
  earlierStates: LocatedAnnotation[] = [],
): Promise<LoadedVisibility> {
  const rows = await db.query<LocatedAnnotation>(sql`
    SELECT annotation_id AS "annotationId", organization_id AS "organizationId",
           document_id AS "documentId", author_id AS "authorId", visibility, access
    FROM ${namedAnnotations(tenantId, annotationIds)}`);
  return loadVisibilityOfRows(db, { tenantId, userIds }, rows, now, earlierStates);
}

/** The users for whom visibility is decided. */
interface Viewers {
  tenantId: string;
  userIds: string[];
}

/**
 * Like `loadVisibility`, for annotations whose rows the caller has read. Runs three statements for
 * any number of annotations, organizations and users.
 *
 * @param now Unix seconds
 */
export async function loadVisibilityOfRows(
  db: Queryable,
  { tenantId, userIds }: Viewers,
  rows: LocatedAnnotation[],
  now: number,
  earlierStates: LocatedAnnotation[] = [],
): Promise<LoadedVisibility> {
  const annotations = new Map(rows.map((row) => [row.annotationId, row]));
  const organizationIds = [...rows, ...earlierStates].flatMap(
    ({ visibility }) => visibility.organizationId ?? [],
  );
  const query = { tenantId, documents: rows, organizationIds, userIds };
  const organizations = await loadAccessAcross(db, query);
  const findStep: LoadedVisibility['hidingStep'] = (annotationId, userId, earlier) => {
    const annotation = annotations.get(annotationId);
    const access = organizations.get(annotation?.organizationId ?? '');
    if (annotation === undefined || access === undefined) return 'missing';
    const stepOf = (one: LocatedAnnotation) =>
      hidingStep({ access, organizations }, one, userId, now);
    return stepOf(annotation) ?? (earlier && stepOf(earlier));
  };
  return {
    hidingStep: findStep,
    isVisible: (annotationId, userId) => findStep(annotationId, userId) === undefined,
  };
}

/** Whether the user of the call sees at least one of these annotations. API keys see all. */
export async function seesAnyAnnotation(
  ctx: KeyContext,
  annotationIds: string[],
): Promise<boolean> {
  const { db, tenantId, userId, clock } = ctx;
  if (userId === undefined) return true;
  const query = { tenantId, annotationIds, userIds: [userId] };
  const visibility = await loadVisibility(db, query, unixSeconds(clock));
  return annotationIds.some((annotationId) => visibility.isVisible(annotationId, userId));
}

/** A subscriber to one document, with the access facts that were loaded for all its subscribers. */
interface Subscriber {
  organizationId: string;
  documentId: string;
  userId: string;
  facts: AccessFacts;
}

/** Returns a predicate for these annotations: whether the subscriber may see the annotation. */
export async function loadLiveVisibility(
  { db, tenantId, clock }: KeyContext,
  { organizationId, documentId, userId, facts: access }: Subscriber,
  annotations: EventAccess[],
): Promise<(annotation: EventAccess) => boolean> {
  const now = unixSeconds(clock);
  // Annotations may be private to other organizations, so the access facts of these are loaded too.
  const organizationIds = annotations
    .flatMap(({ visibility }) => visibility.organizationId ?? [])
    .filter((id) => id !== organizationId);
  const query = { tenantId, documents: [], organizationIds, userIds: [userId] };
  const others = await loadAccessAcross(db, query);
  const facts = { access, organizations: new Map([...others, [organizationId, access]]) };
  return (annotation) =>
    hidingStep(facts, { ...annotation, documentId }, userId, now) === undefined;
}
