import type { Cluster } from './cluster.ts';

/** The place of all editors and comments. */
export const place = { organizationId: 'acme', documentId: 'plan' };

/** How a user edits the document at that place. */
export interface Plan {
  url: string;
  token: string;
}

export async function makePlan({ acknowledged, balancer }: Cluster): Promise<Plan> {
  const { organizationId, documentId } = place;
  const userId = 'ada';
  const users = [{ userId, accessRole: 'editor' }];
  const documents = [{ documentId, accessType: 'restricted' }];
  await acknowledged('/v1/users/add', { organizationId, users });
  await acknowledged('/v2/organizations/documents/add', { organizationId, documents });
  await acknowledged('/v1/users/add', { ...place, users });
  const { data } = await acknowledged('/v2/auth/generate_token', { userId });
  return { url: balancer.url, token: data.token };
}
