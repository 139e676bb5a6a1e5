import type { Dependents } from '../platform/erasure/dependent-rows.ts';
import { attachmentsOfDocuments } from './attachments/erasure.ts';
import { preferencesOfDocuments } from './notifications/erasure.ts';
import { grantsOn } from './permissions/erasure.ts';
import { presenceOfMembers, presenceOnDocuments } from './presence/erasure.ts';

/** The rows that are deleted together with documents, folders, organizations and their members. */
export const dependents: Dependents = {
  document: [
    grantsOn('document'),
    preferencesOfDocuments,
    presenceOnDocuments,
    attachmentsOfDocuments,
  ],
  folder: [grantsOn('folder')],
  organization: [presenceOnDocuments],
  member: [presenceOfMembers],
};
