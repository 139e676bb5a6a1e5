import { z } from 'zod';
import {
  batch,
  epochMs,
  id,
  idList,
  name,
  pageSize,
  pageToken,
  resource,
} from '../../api/fields.ts';
import { page } from '../../api/paging.ts';
import { importedTime } from '../../api/past-times.ts';
import { presentedUser, user } from '../access/users/schema.ts';

const isHttpUrl = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const httpUrl = z.string().max(2048).refine(isHttpUrl, 'must be an http or https URL');

const recordingFields = {
  recordingId: id.optional().meta({ description: 'Made by the server when absent.' }),
  url: httpUrl.meta({ description: 'The URL for playback.' }),
  thumbnailUrl: httpUrl.optional(),
  transcriptUrl: httpUrl.optional(),
  type: z.enum(['audio', 'video', 'screen']).optional(),
  recordingName: name.optional(),
  durationMs: z.number().nonnegative().optional(),
  attachmentId: id
    .optional()
    .meta({ description: 'The attachment with the file, which is deleted with the recording.' }),
  createdAt: importedTime,
  from: user.optional().meta({
    description: 'The author. Required with an API key. With a user token, it is that user.',
  }),
};

/** Further fields are allowed, but those that are named like a URL must contain a safe URL. */
const recording = resource(recordingFields)
  .superRefine((value, check) => {
    for (const [key, text] of Object.entries(value)) {
      if (key in recordingFields || !/url$/i.test(key) || isHttpUrl(text)) continue;
      check.addIssue({ code: 'custom', path: [key], message: 'must be an http or https URL' });
    }
  })
  .meta({ id: 'RecordingInput' });
export type RecordingInput = z.infer<typeof recording>;

const place = { organizationId: id, documentId: id };

export const AddRecordings = z.object({ ...place, recordings: batch(recording) });
export type AddRecordingsInput = z.infer<typeof AddRecordings>;

export const GetRecordings = z.object({
  ...place,
  recordingIds: idList(30).optional(),
  pageSize,
  pageToken,
});
export type GetRecordingsInput = z.infer<typeof GetRecordings>;

export const DeleteRecordings = z.object({ ...place, recordingIds: batch(id) });
export type DeleteRecordingsInput = z.infer<typeof DeleteRecordings>;

/** A recording with the caller's own fields. */
export const presentedRecording = z
  .looseObject({
    recordingId: z.string(),
    url: z.string(),
    from: presentedUser,
    createdAt: epochMs,
    metadata: z.object({
      apiKey: z.string(),
      organizationId: z.string(),
      documentId: z.string(),
    }),
  })
  .meta({ id: 'Recording' });
export type PresentedRecording = z.infer<typeof presentedRecording>;

export const recordingPage = page(presentedRecording);
