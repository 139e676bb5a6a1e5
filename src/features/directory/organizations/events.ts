import type { EventTypes } from '../../../platform/events/event-types.ts';
import { presentedOrganization } from './schema.ts';

const example = { organizationId: 'acme', organizationName: 'Acme' };

export const organizationEventTypes: EventTypes = {
  'organization.add': {
    summary: 'An organization was added.',
    data: presentedOrganization,
    example,
  },
  'organization.update': {
    summary: 'An organization was changed; `previous` is its state before.',
    data: presentedOrganization.extend({ previous: presentedOrganization }),
    example: { ...example, previous: { ...example, organizationName: 'acme' } },
  },
  'organization.delete': {
    summary: 'An organization was deleted with all its data.',
    data: presentedOrganization,
    example,
  },
};
