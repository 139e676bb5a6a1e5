import { z } from 'zod';
import type { EventTypes } from '../../../platform/events/event-types.ts';
import { presentedDocument } from './schema.ts';

const example = {
  id: 'launch-plan',
  documentName: 'Launch plan',
  disabled: false,
  accessType: 'public',
};

const movedDocument = presentedDocument.extend({
  folderId: z.string().nullable().meta({ description: 'Null: outside folders.' }),
});

export const documentEventTypes: EventTypes = {
  'document.add': { summary: 'A document was added.', data: presentedDocument, example },
  'document.update': {
    summary: 'A document was changed; `previous` is its state before.',
    data: presentedDocument.extend({ previous: presentedDocument }),
    example: { ...example, previous: { ...example, documentName: 'Plan' } },
  },
  'document.move': {
    summary: 'A document was moved to another folder; `previous` is its state before.',
    data: movedDocument.extend({ previous: movedDocument }),
    example: { ...example, folderId: 'plans', previous: { ...example, folderId: null } },
  },
  'document.delete': { summary: 'A document was deleted.', data: presentedDocument, example },
};
