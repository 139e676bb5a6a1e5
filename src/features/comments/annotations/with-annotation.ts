import { outcomeMap } from '../../../api/batches.ts';
import type { KeyContext } from '../../../api/context.ts';
import type { ItemOutcome, NeededRole } from '../../../api/fields.ts';
import { sql, type Transaction } from '../../../platform/database/database.ts';
import { pipeline } from '../../../platform/database/pipeline.ts';
import { AppError, invalidField } from '../../../platform/errors.ts';
import { requireOrganization } from '../../directory/organizations/organizations.ts';
import type { FullAnnotation, NamedUserObject } from '../annotation-row.ts';
import { seesAnyAnnotation } from '../visibility/load-visibility.ts';
import { requireViewer } from '../visibility/viewer.ts';
import { toAnnotationQuery } from './filters.ts';
import { annotationNotFound, lockAnnotations } from './lock-annotations.ts';
import { namingScopeOf, type Resolve, readUsersEarly } from './resolve-users.ts';
import type { PersonalInput } from './schema.ts';

interface Target {
  organizationId?: string | undefined;
  documentId?: string | undefined;
  annotationId: string;
}

/**
 * Runs `work` on one annotation, which stays locked until the transaction ends. A user needs at
 * least this role on the annotation's document, and must be able to see the annotation.
 *
 * @param named the users whom the call names, for `resolve`
 * @throws INVALID_ARGUMENT (organization_not_found, annotation_not_found); PERMISSION_DENIED
 */
export async function withAnnotation<Result>(
  ctx: KeyContext,
  target: Target,
  role: NeededRole,
  named: NamedUserObject[],
  work: (tx: Transaction, annotation: FullAnnotation, resolve: Resolve) => Promise<Result>,
): Promise<Result> {
  const { organizationId, documentId } = await locate(ctx, target);
  const { annotationId } = target;
  const query = toAnnotationQuery({ organizationId, documentId, annotationIds: [annotationId] });
  const viewer = await requireViewer(ctx, query, role);
  return ctx.db.transaction(async (tx) => {
    const scope = namingScopeOf({ organizationId, documentId });
    const [[annotation], resolve] = await pipeline([
      lockAnnotations(ctx, tx, query, viewer),
      readUsersEarly(ctx, tx, scope, named),
    ]);
    if (annotation) return work(tx, annotation, resolve);
    await requireOrganization(tx, ctx.tenantId, organizationId);
    throw annotationNotFound();
  });
}

/**
 * Runs `work` on one annotation for one user: the user of the token, or the one whom a caller with an API
 * key names. Only work that changes something may get the user with 'ensureMember': for keys with
 * `requireAutoOrgUser`, this adds the user to the organization. Returns the outcome of `work` by its id.
 *
 * @throws INVALID_ARGUMENT from `getActingUser` if a caller with an API key names no user
 */
export async function withActingUser(
  ctx: KeyContext,
  input: PersonalInput,
  role: NeededRole,
  work: (
    tx: Transaction,
    annotation: FullAnnotation,
    getActingUser: (as: 'ensureMember' | 'asIs') => Promise<NamedUserObject>,
  ) => Promise<ItemOutcome>,
): Promise<Record<string, ItemOutcome>> {
  const userId = ctx.userId ?? input.userId;
  const named = userId === undefined ? [] : [{ userId }];
  const outcome = await withAnnotation(ctx, input, role, named, (tx, annotation, resolve) =>
    work(tx, annotation, async (as) => {
      const [user] = named;
      if (!user) throw invalidField('userId', 'is required with an API key');
      return (await resolve(as === 'ensureMember' ? named : [], [user.userId])).complete(user);
    }),
  );
  return outcomeMap([outcome]);
}

/** Returns the annotation's document. It is looked up unless the caller names it. */
async function locate(ctx: KeyContext, { organizationId, documentId, annotationId }: Target) {
  if (organizationId !== undefined && documentId !== undefined) {
    return { organizationId, documentId };
  }
  const [place] = await ctx.db.query<{ organizationId: string; documentId: string }>(sql`
    SELECT organization_id AS "organizationId", document_id AS "documentId"
    FROM comment_annotations
    WHERE tenant_id = ${ctx.tenantId} AND annotation_id = ${annotationId}`);
  if (place && (await seesAnyAnnotation(ctx, [annotationId]))) {
    return {
      organizationId: organizationId ?? place.organizationId,
      documentId: documentId ?? place.documentId,
    };
  }
  if (ctx.userId === undefined) throw annotationNotFound();
  // The response is the same as for an annotation that the user may not see.
  throw new AppError('PERMISSION_DENIED', 'You do not have access to this document.');
}
