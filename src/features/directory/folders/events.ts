import { z } from 'zod';
import type { EventTypes } from '../../../platform/events/event-types.ts';
import { presentedFolder } from './schema.ts';

const example = {
  folderId: 'plans',
  folderName: 'Plans',
  parentFolderId: null,
  accessType: 'organizationPrivate',
  ancestors: [],
};

export const folderEventTypes: EventTypes = {
  'folder.add': { summary: 'A folder was added.', data: presentedFolder, example },
  'folder.update': {
    summary: 'A folder was changed or moved; `previous` is its state before.',
    data: presentedFolder.and(z.looseObject({ previous: presentedFolder })),
    example: { ...example, previous: { ...example, folderName: 'Old plans' } },
  },
  'folder.delete': { summary: 'A folder was deleted.', data: presentedFolder, example },
};
