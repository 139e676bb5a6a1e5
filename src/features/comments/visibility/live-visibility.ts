import type { KeyContext } from '../../../api/context.ts';
import { unixSeconds } from '../../../platform/clock.ts';
import { type AccessFacts, loadAccessAcross } from '../../access/load-access.ts';
import type { KnownAccess } from './presented-access.ts';
import { maySee } from './rule.ts';

/** A subscriber to one document, with the access facts that were loaded for all its subscribers. */
interface Subscriber {
  organizationId: string;
  documentId: string;
  userId: string;
  facts: AccessFacts;
}

/** Returns whether the subscriber may see each of the annotations that events are about. */
export async function liveVisibility(
  { db, tenantId, clock }: KeyContext,
  { organizationId, documentId, userId, facts: access }: Subscriber,
  annotations: KnownAccess[],
): Promise<(annotation: KnownAccess) => boolean> {
  const now = unixSeconds(clock);
  // Annotations may be private to other organizations, whose members the access facts do not contain.
  const organizationIds = annotations
    .flatMap(({ visibility }) => visibility.organizationId ?? [])
    .filter((id) => id !== organizationId);
  const query = { tenantId, documents: [], organizationIds, userIds: [userId] };
  const others = await loadAccessAcross(db, query);
  const isMember = (id: string) => {
    const facts = id === organizationId ? access : others.get(id);
    return facts?.accessAt({ organizationId: id }, userId, now)?.allowed === true;
  };
  return (annotation) => maySee({ access, isMember }, { ...annotation, documentId }, userId, now);
}
