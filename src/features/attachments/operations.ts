import { noOutput } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import type { SeesAnyAnnotation } from './attachments.ts';
import { deleteAttachment } from './delete-attachment.ts';
import { exampleAttachment } from './events.ts';
import { getAttachment } from './get-attachment.ts';
import {
  AttachmentRef,
  CreateUpload,
  downloadLink,
  presentedAttachment,
  uploadLink,
} from './schema.ts';
import { completeUpload, createUpload } from './upload.ts';

const place = { organizationId: 'acme', documentId: 'launch-plan' };
const { attachmentId, name, size, type, checksum } = exampleAttachment;
const attachment = { ...place, attachmentId };
const url = 'https://collaboration.example.com/files/v1.5f0c6a21.Zm9vYmFyYmF6';
const errors = ['FAILED_PRECONDITION' as const];

/** @param seesAnyAnnotation decides which users may use files that comments name */
export const attachmentsRouter = (seesAnyAnnotation: SeesAnyAnnotation) =>
  router({
    createUpload: apiKeyOperation({
      path: '/v2/attachments/create_upload',
      addsContent: true,
      summary: 'Create an upload',
      description:
        'Returns a link that accepts the declared file once, within an hour: send its bytes there with the given method and headers, and then call attachments.complete. If the server has no place for files, the call fails with FAILED_PRECONDITION.',
      message: 'Upload created successfully.',
      userToken: true,
      errors: [...errors, 'RESOURCE_EXHAUSTED'],
      example: {
        request: { ...place, name, size, type, checksum },
        response: {
          attachmentId,
          url,
          method: 'PUT',
          headers: { 'content-type': type },
          expiresAt: 1_790_003_600,
        },
      },
    })
      .input(CreateUpload)
      .output(uploadLink)
      .mutation(({ ctx, input }) => createUpload(ctx, input)),

    complete: apiKeyOperation({
      path: '/v2/attachments/complete',
      summary: 'Complete an upload',
      description:
        "Compares the uploaded file with the declared one. An attachment that is not completed cannot be downloaded, and is removed two hours after createUpload. If the API key has `requireAttachmentApproval`, a user's upload is removed after a day, unless an API key approves it by this call. The call may be repeated.",
      message: 'Upload completed successfully.',
      userToken: true,
      errors: [...errors, 'UNAVAILABLE'],
      example: { request: attachment, response: exampleAttachment },
    })
      .input(AttachmentRef)
      .output(presentedAttachment)
      .mutation(({ ctx, input }) => completeUpload(ctx, input, seesAnyAnnotation)),

    get: apiKeyOperation({
      path: '/v2/attachments/get',
      summary: 'Get an attachment',
      description:
        'An attachment, with a download link that is valid for five minutes. Access is checked when the link is created. Users get files that no comment names, files that they uploaded, and files that are named in a comment that they see.',
      message: 'Attachment retrieved successfully.',
      userToken: true,
      errors,
      example: {
        request: attachment,
        response: { ...exampleAttachment, url, expiresAt: 1_790_000_300 },
      },
    })
      .input(AttachmentRef)
      .output(downloadLink)
      .query(({ ctx, input }) => getAttachment(ctx, input, seesAnyAnnotation)),

    delete: apiKeyOperation({
      path: '/v2/attachments/delete',
      summary: 'Delete an attachment',
      description:
        'Deletes an attachment. No further links to it are created, and its file is removed within a minute.',
      message: 'Attachment deleted successfully.',
      userToken: true,
      example: { request: attachment, response: undefined },
    })
      .input(AttachmentRef)
      .output(noOutput)
      .mutation(async ({ ctx, input }) => {
        await deleteAttachment(ctx, input, seesAnyAnnotation);
      }),
  });
