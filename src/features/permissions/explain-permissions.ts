import type { KeyContext } from '../../api/context.ts';
import { unixSeconds } from '../../platform/clock.ts';
import type { Access, DecisionStep, Verdict } from '../access/access.ts';
import { type AccessFacts, loadAccessTo } from '../access/load-access.ts';
import { type NamedPlace, type ResourceRef, resourceOf } from '../access/places.ts';
import { requireKnown } from '../access/require-access.ts';
import type { ExplainInput, Explanation, ExplanationStep } from './explain-schema.ts';
import { presentAccess } from './present-access.ts';

/**
 * Explains the access of a user to an organization, folder or document, with the steps of the
 * decision that `decideAccess` reports.
 *
 * @throws INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found)
 */
export async function explainPermissions(
  ctx: KeyContext,
  { userId, ...place }: ExplainInput,
): Promise<Explanation> {
  const facts = await loadAccessTo(ctx.db, { tenantId: ctx.tenantId, userId }, place);
  requireKnown(facts, place);
  const decided: DecisionStep[] = [];
  const access = facts.accessToPlace(place, userId, unixSeconds(ctx.clock), (step) =>
    decided.push(step),
  );
  return {
    ...place,
    userId,
    decision: presentAccess(access, resourceOf(place).type),
    steps: [
      typeStep(facts, place),
      ...decided.map((step) => grantStep(facts, place, step)),
      ...noGrantStep(access),
    ],
  };
}

function typeStep(facts: AccessFacts, place: NamedPlace): ExplanationStep {
  const { type, id } = resourceOf(place);
  const step = 'accessType';
  const resource = type === 'organization' ? undefined : facts.resource(type, id);
  if (!resource) {
    return { step, accessType: 'organizationPrivate', message: 'Organizations are private.' };
  }
  const { accessType, typeFrom } = resource;
  if (!typeFrom) {
    const message = 'No folder above it has an access type, so it is public.';
    return { step, accessType, message };
  }
  const isOwn = typeFrom.type === type && typeFrom.id === id;
  const message = isOwn
    ? `The ${type} itself is ${accessType}.`
    : `It is ${accessType}, like the folder ${typeFrom.id}.`;
  return { step, accessType, resource: typeFrom, message };
}

function grantStep(facts: AccessFacts, place: NamedPlace, step: DecisionStep): ExplanationStep {
  const { grant, verdict } = step;
  const resource = resourceAt(facts, place, step.position);
  return {
    step: 'grant',
    resource,
    outcome: verdict,
    ...(grant && { accessRole: grant.accessRole }),
    ...(grant?.expiresAt != null && { expiresAt: grant.expiresAt }),
    ...(grant?.context && { context: { access: grant.context } }),
    message: `The ${resource.type} ${resource.id}: ${VERDICTS[verdict]}`,
  };
}

/** Returns the resource of a step: the resource itself, a folder above it, or the organization. */
function resourceAt(facts: AccessFacts, place: NamedPlace, position: number): ResourceRef {
  const { type, id } = resourceOf(place);
  const path = type === 'organization' ? [] : facts.resource(type, id)?.path;
  return path?.[position] ?? { type: 'organization', id: place.organizationId };
}

const VERDICTS: Record<Verdict, string> = {
  absent: 'the user has no role here.',
  expired: 'the role that the user had here has expired.',
  restricted: 'a role here does not give access to restricted resources.',
  decides: 'this is the nearest role that counts, so it decides.',
};

/** Returns the step in which the access type decides, which exists only if no grant decides. */
function noGrantStep(access: Access | undefined): ExplanationStep[] {
  if (!access || (access.allowed && access.grant)) return [];
  const { accessType } = access;
  return [{ step: 'noGrant', accessType, message: WITHOUT_ROLE[accessType] }];
}

const WITHOUT_ROLE: Record<Access['accessType'], string> = {
  public: 'Everyone can view it without a role.',
  organizationPrivate: 'Without a role in the organization, nobody has access to it.',
  restricted: 'Without a role on it or on a folder above it, nobody has access to it.',
};
