import { z } from 'zod';
import { epochMs, id, text } from '../../api/fields.ts';

/** A file name that browsers can save: at most 255 characters, without a path. */
export const fileName = text(255)
  .min(1)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
  .regex(/^[^/\\\u0000-\u001f\u007f-\u009f]*$/, 'must be the name of a file, without folders')
  .refine((name) => name !== '.' && name !== '..', 'must be the name of a file');

export const mediaType = z
  .string()
  .max(127)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type such as image/png')
  .transform((type) => type.toLowerCase());

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 hash of 64 hexadecimal digits')
  .transform((digits) => digits.toLowerCase());

const place = { organizationId: id, documentId: id };

export const CreateUpload = z.object({
  ...place,
  name: fileName.meta({ description: 'The name that browsers save the file under.' }),
  size: z
    .number()
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .meta({ description: "The size in bytes, at most the server's ATTACHMENT_LIMIT_BYTES." }),
  type: mediaType.meta({
    description: "The media type. It must be one of the server's ATTACHMENT_TYPES.",
  }),
  checksum: sha256
    .optional()
    .meta({ description: 'SHA-256 in hexadecimal digits. If given, no other file is accepted.' }),
  userId: id.optional().meta({
    description: 'The user who uploads the file. With a user token, it is the user of the token.',
  }),
});
export type CreateUploadInput = z.infer<typeof CreateUpload>;

export const AttachmentRef = z.object({ ...place, attachmentId: id });
export type AttachmentRefInput = z.infer<typeof AttachmentRef>;

const expiresAt = z.number().meta({ description: 'When the link expires, in Unix seconds.' });

export const uploadLink = z
  .object({
    attachmentId: z.string(),
    url: z.string().meta({ description: 'The link to send the file to. It needs no credentials.' }),
    method: z.literal('PUT'),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'The headers that the request must have, with exactly these values.' }),
    expiresAt,
  })
  .meta({ id: 'AttachmentUpload' });

export const presentedAttachment = z
  .object({
    attachmentId: z.string(),
    name: z.string(),
    size: z.number().meta({ description: 'Bytes.' }),
    type: z.string(),
    checksum: z.string().optional(),
    userId: z.string().optional().meta({ description: 'The user who uploaded it.' }),
    createdAt: epochMs,
    isApproved: z.boolean().meta({
      description:
        'Whether users may download it. With `requireAttachmentApproval`, an API key must approve it first.',
    }),
    metadata: z.object({ apiKey: z.string(), organizationId: z.string(), documentId: z.string() }),
  })
  .meta({ id: 'Attachment' });
export type PresentedAttachment = z.infer<typeof presentedAttachment>;

export const downloadLink = presentedAttachment
  .extend({ url: z.string().meta({ description: 'Downloads the file.' }), expiresAt })
  .meta({ id: 'AttachmentDownload' });
export type PresentedDownloadLink = z.infer<typeof downloadLink>;
