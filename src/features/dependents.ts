import type { Dependents } from '../platform/erasure/dependent-rows.ts';
import { attachmentsOf } from './attachments/erasure.ts';
import { preferencesOfDocuments } from './notifications/erasure.ts';
import { grantsOn } from './permissions/erasure.ts';
import { presenceIn } from './presence/erasure.ts';

/** The rows that are deleted with documents, folders and organizations. */
export const dependents: Dependents = {
  document: [grantsOn('document'), preferencesOfDocuments, presenceIn, attachmentsOf],
  folder: [grantsOn('folder')],
  organization: [presenceIn],
};
