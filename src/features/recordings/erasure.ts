import { sql } from '../../platform/database/database.ts';
import { removeRows } from '../../platform/erasure/remove-rows.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/** Recordings hold the voice and picture of their author, so erasure deletes them. */
export const eraseRecordings = removeRows({
  name: 'recordings',
  table: sql`recordings`,
  key: sql`organization_id, document_id, recording_id`,
  userId: sql`author_id`,
});

/** Removes erased users from recordings of others that name them, e.g. as a participant. */
export const eraseInRecordings = walkRows({
  name: 'recordingFields',
  table: sql`recordings t`,
  key: ['organization_id', 'document_id', 'recording_id'],
  columns: { content: 'content::jsonb' },
});
