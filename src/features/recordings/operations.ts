import { outcomes } from '../../api/fields.ts';
import { apiKeyOperation, router } from '../../api/procedures.ts';
import { addRecordings } from './add-recordings.ts';
import { deleteRecordings } from './delete-recordings.ts';
import { getRecordings } from './get-recordings.ts';
import { AddRecordings, DeleteRecordings, GetRecordings, recordingPage } from './schema.ts';

const place = { organizationId: 'acme', documentId: 'launch-plan' };

const walkthrough = {
  recordingId: 'walkthrough',
  url: 'https://media.example.com/walkthrough.mp4',
  type: 'screen' as const,
  durationMs: 92_000,
  from: { userId: 'ada', name: 'Ada Lovelace' },
};

const outcome = (message: string) => ({
  walkthrough: { success: true, id: 'walkthrough', message },
});

export const recordingsRouter = router({
  add: apiKeyOperation({
    path: '/v2/recordings/add',
    addsContent: true,
    summary: 'Add recordings',
    description:
      'Adds the metadata of recordings, with the URLs at which they are played (http or https). Fields of your own are kept. A recording whose id already exists gets success: false.',
    message: 'Recording(s) added successfully.',
    userToken: true,
    example: {
      request: { ...place, recordings: [walkthrough] },
      response: outcome('Recording added.'),
    },
  })
    .input(AddRecordings)
    .output(outcomes)
    .mutation(({ ctx, input }) => addRecordings(ctx, input)),

  get: apiKeyOperation({
    path: '/v2/recordings/get',
    summary: 'Get recordings',
    description: 'Recordings of a document in the order of their ids, a page at a time.',
    message: 'Recording(s) retrieved successfully.',
    envelope: 'page',
    userToken: true,
    fromReplica: true,
    example: {
      request: place,
      response: [
        { ...walkthrough, createdAt: 1_767_603_600_000, metadata: { apiKey: 'k1', ...place } },
      ],
    },
  })
    .input(GetRecordings)
    .output(recordingPage)
    .query(({ ctx, input }) => getRecordings(ctx, input)),

  delete: apiKeyOperation({
    path: '/v2/recordings/delete',
    summary: 'Delete recordings',
    description:
      'Deletes recordings and the attachments that hold their files. Media at other URLs is not deleted. A user token can delete only the recordings of its own user.',
    message: 'Recording(s) deleted successfully.',
    userToken: true,
    example: {
      request: { ...place, recordingIds: ['walkthrough'] },
      response: outcome('Recording deleted.'),
    },
  })
    .input(DeleteRecordings)
    .output(outcomes)
    .mutation(({ ctx, input }) => deleteRecordings(ctx, input)),
});
