import { z } from 'zod';
import { batch, id, idList, name, pageSize, pageToken, resource } from '../../../api/fields.ts';
import { page } from '../../../api/paging.ts';

export const organization = resource({
  organizationId: id,
  organizationName: name.optional(),
}).meta({ id: 'OrganizationInput' });
export type OrganizationInput = z.infer<typeof organization>;

/** The input of add and update. */
export const Organizations = z.object({ organizations: batch(organization) });

export const GetOrganizations = z.object({
  organizationIds: idList().optional(),
  pageSize,
  pageToken,
});
export type GetOrganizationsInput = z.infer<typeof GetOrganizations>;

export const DeleteOrganizations = z.object({ organizationIds: batch(id) });

export const presentedOrganization = z
  .looseObject({
    organizationId: z.string(),
    organizationName: z.string().meta({ description: 'The id if the organization has no name.' }),
  })
  .meta({ id: 'Organization' });
export type PresentedOrganization = z.infer<typeof presentedOrganization>;

export const organizationPage = page(presentedOrganization);
