import type { KeyContext } from '../../api/context.ts';
import { columnsOf } from '../../platform/database/columns.ts';
import type { Sql } from '../../platform/database/database.ts';
import type { NewEvent } from '../../platform/events/event-log.ts';
import { documentChannels } from '../directory/documents/lock-document.ts';
import { showPerson } from '../users/show-person.ts';
import type { PresentedRecording } from './schema.ts';

type User = PresentedRecording['from'];

export interface RecordingRow {
  organizationId: string;
  documentId: string;
  recordingId: string;
  authorId: string;
  /** Epoch milliseconds. The driver returns the type `bigint` as text. */
  createdMs: string;
  /** The recording as received. */
  content: { url: string; from: User; [field: string]: unknown };
}

export const recordingColumns: Sql = columnsOf([
  'organizationId',
  'documentId',
  'recordingId',
  'authorId',
  'createdMs',
  'content',
]);

/** Presents a recording, with what the caller may see of its author (`showPerson`). */
export const presentRecording = (
  ctx: Pick<KeyContext, 'tenantId' | 'userId'>,
  row: RecordingRow,
): PresentedRecording => ({
  ...row.content,
  from: showPerson(ctx, row.content.from),
  recordingId: row.recordingId,
  createdAt: Number(row.createdMs),
  metadata: {
    apiKey: ctx.tenantId,
    organizationId: row.organizationId,
    documentId: row.documentId,
  },
});

/** Returns an event about a recording, as API keys receive it. @param userId the acting user, if known */
export const recordingEvent = (
  type: 'recording.add' | 'recording.delete',
  tenantId: string,
  row: RecordingRow,
  { folderId, userId }: { folderId: string | null; userId: string | undefined },
): NewEvent => ({
  type,
  organizationId: row.organizationId,
  documentId: row.documentId,
  channels: documentChannels(row, folderId, userId),
  data: presentRecording({ tenantId, userId: undefined }, row),
});
