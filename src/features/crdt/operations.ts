import { z } from 'zod';
import { noOutput } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addContent } from './add-content.ts';
import { deleteContent } from './delete-content.ts';
import { getContent } from './get-content.ts';
import { replaceRange } from './replace-range.ts';
import {
  AddCrdt,
  DeleteCrdt,
  GetCrdt,
  presentedEditor,
  ReplaceRange,
  replacedRange,
  UpdateCrdt,
} from './schema.ts';
import { updateContent } from './update-content.ts';
import { versionsRouter } from './versions/operations.ts';

const place = { organizationId: 'acme', documentId: 'launch-plan' };

export const crdtRouter = router({
  add: apiKeyOperation({
    path: '/v2/crdt/add',
    addsContent: true,
    summary: 'Add CRDT data',
    description: 'Stores the first content of an editor. Connected editors receive it.',
    message: 'CRDT data added successfully.',
    userToken: true,
    errors: ['ALREADY_EXISTS'],
    example: {
      request: { ...place, editorId: 'body', type: 'text', data: 'We launch in May.' },
      response: undefined,
    },
  })
    .input(AddCrdt)
    .output(noOutput)
    .mutation(async ({ ctx, input }) => {
      await addContent(ctx, input);
    }),

  get: apiKeyOperation({
    path: '/v2/crdt/get',
    summary: 'Get CRDT data',
    description:
      'The content of one editor, or of all editors of a document in the order of their ids.',
    message: 'CRDT data retrieved successfully.',
    userToken: true,
    example: {
      request: { ...place, editorId: 'body' },
      response: [
        {
          id: 'body',
          data: 'We launch in May.',
          type: 'text',
          version: 12,
          lastUpdate: 1_767_603_600_000,
          lastUpdatedBy: 'ada',
        },
      ],
    },
  })
    .input(GetCrdt)
    .output(z.array(presentedEditor))
    .query(({ ctx, input }) => getContent(ctx, input)),

  update: apiKeyOperation({
    path: '/v2/crdt/update',
    addsContent: true,
    sharesCommit: true,
    summary: 'Update CRDT data',
    description:
      'Replaces the content of an editor. Connected editors receive only what differs, like any other edit. The response is sent after the commit.',
    message: 'CRDT data updated successfully.',
    userToken: true,
    errors: ['NOT_FOUND', 'ABORTED'],
    example: {
      request: { ...place, editorId: 'body', type: 'text', data: 'We launch in June.' },
      response: undefined,
    },
  })
    .input(UpdateCrdt)
    .output(noOutput)
    .mutation(async ({ ctx, input }) => {
      await updateContent(ctx, input);
    }),

  replaceRange: apiKeyOperation({
    path: '/v2/crdt/replace_range',
    addsContent: true,
    summary: 'Replace a passage of CRDT data',
    description:
      'Replaces a quoted passage of text or rich text. Connected editors receive only what differs, like any other edit. Formats are kept, and edits elsewhere are not affected. If the quote or its `occurrence` is not found, the call fails with NOT_FOUND. If there are several matches and no `occurrence`, it fails with FAILED_PRECONDITION. `details` shows the present text as `present`, or the matches as `occurrences` and `matches`.',
    message: 'CRDT passage replaced successfully.',
    userToken: true,
    errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
    example: {
      request: { ...place, editorId: 'body', quote: 'in May', replacement: 'in June' },
      response: { version: 13 },
    },
  })
    .input(ReplaceRange)
    .output(replacedRange)
    .mutation(({ ctx, input }) => replaceRange(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/crdt/delete',
    summary: 'Delete CRDT data',
    description:
      'Deletes the content of one editor, or of all editors of a document, with its history and versions. Connected editors are disconnected and cannot restore the content.',
    message: 'CRDT data deleted successfully.',
    userToken: true,
    errors: ['NOT_FOUND'],
    example: { request: { ...place, editorId: 'body' }, response: undefined },
  })
    .input(DeleteCrdt)
    .output(noOutput)
    .mutation(async ({ ctx, input }) => {
      await deleteContent(ctx, input);
    }),

  versions: versionsRouter,
});
