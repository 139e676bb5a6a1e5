import { z } from 'zod';
import type { EventTypes } from '../../platform/events/event-types.ts';
import { presentedDocument } from './documents/schema.ts';
import { presentedFolder } from './folders/schema.ts';
import { presentedOrganization } from './organizations/schema.ts';

const organization = { organizationId: 'acme', organizationName: 'Acme' };

const folder = {
  folderId: 'plans',
  folderName: 'Plans',
  parentFolderId: null,
  accessType: 'organizationPrivate',
  ancestors: [],
};

const document = {
  id: 'launch-plan',
  documentName: 'Launch plan',
  disabled: false,
  accessType: 'public',
};

const movedDocument = presentedDocument.extend({
  folderId: z.string().nullable().meta({ description: 'Null if the document is not in a folder.' }),
});

export const directoryEventTypes: EventTypes = {
  'organization.add': {
    summary: 'An organization was added.',
    data: presentedOrganization,
    example: organization,
  },
  'organization.update': {
    summary: 'An organization was changed; `previous` is its state before the change.',
    data: presentedOrganization.extend({ previous: presentedOrganization }),
    example: { ...organization, previous: { ...organization, organizationName: 'acme' } },
  },
  'organization.delete': {
    summary: 'An organization was deleted with all its data.',
    data: presentedOrganization,
    example: organization,
  },

  'folder.add': { summary: 'A folder was added.', data: presentedFolder, example: folder },
  'folder.update': {
    summary: 'A folder was changed or moved; `previous` is its state before the change.',
    // The schema of a folder is recursive, so it cannot be extended.
    data: presentedFolder.and(z.looseObject({ previous: presentedFolder })),
    example: { ...folder, previous: { ...folder, folderName: 'Old plans' } },
  },
  'folder.delete': { summary: 'A folder was deleted.', data: presentedFolder, example: folder },

  'document.add': { summary: 'A document was added.', data: presentedDocument, example: document },
  'document.update': {
    summary: 'A document was changed; `previous` is its state before the change.',
    data: presentedDocument.extend({ previous: presentedDocument }),
    example: { ...document, previous: { ...document, documentName: 'Plan' } },
  },
  'document.move': {
    summary: 'A document was moved to another folder; `previous` is its state before the change.',
    data: movedDocument.extend({ previous: movedDocument }),
    example: { ...document, folderId: 'plans', previous: { ...document, folderId: null } },
  },
  'document.delete': {
    summary: 'A document was deleted.',
    data: presentedDocument,
    example: document,
  },
};
