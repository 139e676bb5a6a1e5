import { noOutput } from '../../../api/fields.ts';
import { apiKeyOperation, router } from '../../../api/procedures.ts';
import { restoreVersion } from './restore-version.ts';
import {
  CreateVersion,
  ListVersions,
  presentedVersion,
  RestoreVersion,
  versionPage,
} from './schema.ts';
import { createVersion, listVersions } from './versions.ts';

const editor = { organizationId: 'acme', documentId: 'launch-plan', editorId: 'body' };

const draft = {
  versionId: 'k2VnT0aPz5QrUeX81LmB',
  name: 'Before the review',
  version: 12,
  createdAt: 1_767_603_600_000,
  createdBy: 'ada',
};

export const versionsRouter = router({
  create: apiKeyOperation({
    path: '/v2/crdt/versions/create',
    addsContent: true,
    summary: 'Create a version of CRDT data',
    description: 'Stores the current content of an editor, so that it can be restored later.',
    message: 'CRDT version created successfully.',
    userToken: true,
    errors: ['NOT_FOUND'],
    example: { request: { ...editor, name: 'Before the review' }, response: draft },
  })
    .input(CreateVersion)
    .output(presentedVersion)
    .mutation(({ ctx, input }) => createVersion(ctx, input)),

  list: apiKeyOperation({
    path: '/v2/crdt/versions/list',
    summary: 'List versions of CRDT data',
    description: 'The versions of an editor, the newest first, a page at a time.',
    message: 'CRDT versions retrieved successfully.',
    envelope: 'page',
    userToken: true,
    fromReplica: true,
    errors: ['NOT_FOUND'],
    example: { request: editor, response: [draft] },
  })
    .input(ListVersions)
    .output(versionPage)
    .query(({ ctx, input }) => listVersions(ctx, input)),

  restore: apiKeyOperation({
    path: '/v2/crdt/versions/restore',
    addsContent: true,
    summary: 'Restore a version of CRDT data',
    description:
      'Restores the content of a version, or of a moment within the history that is kept (HISTORY_RETENTION_DAYS). Connected editors receive only what differs, like any other edit. Later edits stay in the history, and the previous content becomes a version. If the moment is no longer stored, the call fails with OUT_OF_RANGE, and `details.oldestAt` is the oldest later moment that is stored, in epoch milliseconds.',
    message: 'CRDT version restored successfully.',
    userToken: true,
    errors: ['NOT_FOUND', 'OUT_OF_RANGE'],
    example: { request: { ...editor, versionId: draft.versionId }, response: undefined },
  })
    .input(RestoreVersion)
    .output(noOutput)
    .mutation(async ({ ctx, input }) => {
      await restoreVersion(ctx, input);
    }),
});
