import type { ContentType, RecordingInput } from '../../api/contract.ts';
import { chunksOf, idOf, personOf, textOf, timeOf, without } from './hosted-rows.ts';
import { isRow, MAX_IDS, type Row } from './hosted-service.ts';
import { type DocumentRef, forEachReadable, type OrganizationImport } from './import-context.ts';
import { moveFile } from './move-files.ts';

// Imports the recordings of documents with their files, and the live contents of documents.

const CONVERTED_RECORDING_FIELDS = new Set(['id', 'metadata', 'from', 'createdAt', 'attachmentId']);

type Recording = RecordingInput & { recordingId: string };

export const importRecordings = (ctx: OrganizationImport, documentIds: string[]): Promise<void> =>
  forEachReadable(ctx, 'recordings', documentIds, async (documentRef) => {
    for await (const { rows } of ctx.from.pages('/v2/recordings/get', documentRef)) {
      const reason = 'It has no id or no author.';
      const converted = ctx.writer.convert('recordings', rows, recordingOf, reason);
      for (const part of chunksOf(converted, MAX_IDS)) {
        await moveFiles(ctx, documentRef, part);
        await ctx.writer.send('recordings', part, 'recordingId', (recordings) =>
          ctx.to.recordings.add({ ...documentRef, recordings }),
        );
      }
    }
  });

function recordingOf(row: Row): Recording | undefined {
  const recordingId = idOf(row, 'recordingId');
  const from = personOf(row.from);
  if (recordingId === undefined || !from) return undefined;
  const createdAt = timeOf(row.createdAt);
  return { ...without<Recording>(row, CONVERTED_RECORDING_FIELDS), recordingId, from, createdAt };
}

/** Moves the files of recordings to this server, as attachments, and sets the `attachmentId` of each recording. */
async function moveFiles(
  ctx: OrganizationImport,
  documentRef: DocumentRef,
  recordings: Recording[],
): Promise<void> {
  const newRecordings = await ctx.writer.selectNew(
    recordings,
    'recordingId',
    async (recordingIds) => {
      const { data } = await ctx.to.recordings.get({ ...documentRef, recordingIds });
      return data.map(({ recordingId }) => recordingId);
    },
  );
  for (const recording of newRecordings) {
    const { url, recordingName: name, from } = recording;
    const attachmentId = await moveFile(ctx, documentRef, { url, name }, from?.userId);
    if (attachmentId !== undefined) Object.assign(recording, { attachmentId });
  }
}

export const importContents = (ctx: OrganizationImport, documentIds: string[]): Promise<void> =>
  forEachReadable(ctx, 'contents', documentIds, async (documentRef) => {
    const { rows } = await ctx.from.read('/v2/crdt/get', documentRef);
    for (const row of rows) {
      const editorId = textOf(row.id) ?? textOf(row.editorId);
      if (editorId === undefined) {
        ctx.writer.count('contents', 'found');
        ctx.writer.addRefusal('contents', documentRef.documentId, 'The content has no editor id.');
        continue;
      }
      const content = { editorId, data: row.data, type: typeOf(row) };
      await ctx.writer.send(
        'contents',
        [content],
        () => `${documentRef.documentId}/${editorId}`,
        () => ctx.to.crdt.add({ ...documentRef, ...content }),
      );
    }
  });

/** Guesses the type from the data if the service leaves it out. */
function typeOf({ type, data }: Row): ContentType {
  if (type === 'text' || type === 'map' || type === 'array' || type === 'xml') return type;
  if (Array.isArray(data)) return 'array';
  if (isRow(data)) return 'map';
  return textOf(data)?.startsWith('<') ? 'xml' : 'text';
}
