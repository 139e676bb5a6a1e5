import { outcomes } from '../../../api/fields.ts';
import { apiKeyOperation } from '../../../api/procedures.ts';
import type { Dependents } from '../../../platform/erasure/dependent-rows.ts';
import { deleteOrganizations } from '../deletion/delete-trees.ts';
import { addOrganizations, updateOrganizations } from '../organizations/change-organizations.ts';
import { getOrganizations } from '../organizations/organizations.ts';
import {
  DeleteOrganizations,
  GetOrganizations,
  Organizations,
  organizationPage,
} from '../organizations/schema.ts';

const acme = { organizationId: 'acme', organizationName: 'Acme' };

export const organizationProcedures = (dependents: Dependents) => ({
  add: apiKeyOperation({
    path: '/v2/organizations/add',
    addsContent: true,
    summary: 'Add organizations',
    description: 'An organization that already exists is not changed, and its outcome says so.',
    message: 'Organization(s) added successfully.',
    example: {
      request: { organizations: [{ ...acme, plan: 'team' }] },
      response: { acme: { success: true, id: 'acme', message: 'Organization added.' } },
    },
  })
    .input(Organizations)
    .output(outcomes)
    .mutation(({ ctx, input }) => addOrganizations(ctx, input.organizations)),

  update: apiKeyOperation({
    path: '/v2/organizations/update',
    addsContent: true,
    summary: 'Update organizations',
    description: 'Changes the fields that are given; fields of your own are merged.',
    message: 'Organization(s) updated successfully.',
    example: {
      request: { organizations: [acme] },
      response: { acme: { success: true, id: 'acme', message: 'Organization updated.' } },
    },
  })
    .input(Organizations)
    .output(outcomes)
    .mutation(({ ctx, input }) => updateOrganizations(ctx, input.organizations)),

  get: apiKeyOperation({
    path: '/v2/organizations/get',
    summary: 'Get organizations',
    description: 'Organizations, ordered by id, a page at a time.',
    message: 'Organization(s) retrieved successfully.',
    envelope: 'page',
    fromReplica: true,
    example: { request: { organizationIds: ['acme'] }, response: [{ ...acme, plan: 'team' }] },
  })
    .input(GetOrganizations)
    .output(organizationPage)
    .query(({ ctx, input }) => getOrganizations(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/organizations/delete',
    summary: 'Delete organizations',
    description:
      'Deletes organizations with all their data. A large organization is deleted in the background, as its message says: users lose their access at once, nothing can be added to it any more, and it can be created again after the deletion.',
    message: 'Organization(s) deleted successfully.',
    example: {
      request: { organizationIds: ['acme'] },
      response: { acme: { success: true, id: 'acme', message: 'Organization deleted.' } },
    },
  })
    .input(DeleteOrganizations)
    .output(outcomes)
    .mutation(({ ctx, input }) =>
      deleteOrganizations({ ...ctx, dependents }, input.organizationIds),
    ),
});
