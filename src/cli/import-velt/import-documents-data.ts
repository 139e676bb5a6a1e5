import type { ContentType, RecordingInput } from '../../api/contract.ts';
import { partsOf, personOf, textOf, timeOf, without } from './hosted-rows.ts';
import { isMissing, isRow, MAX_IDS, type Row } from './hosted-service.ts';
import { fewAtOnce, type ImportContext } from './import-context.ts';
import type { Place } from './move-files.ts';
import type { Kind } from './tally.ts';

/** Imports recordings of documents with their files, and the live contents. */

const RECORDING_FIELDS = new Set(['id', 'metadata', 'from', 'createdAt', 'attachmentId']);

type Recording = RecordingInput & { recordingId: string };

export const importRecordings = (
  ctx: ImportContext,
  organizationId: string,
  documentIds: string[],
): Promise<void> =>
  eachReadable(ctx, { kind: 'recordings', organizationId, documentIds }, async (place) => {
    const { from, to, writer } = ctx;
    for await (const { rows } of from.pages('/v2/recordings/get', place)) {
      const recordings = rows.flatMap((row) => recordingOf(row) ?? []);
      for (const part of partsOf(recordings, MAX_IDS)) {
        await moveFiles(ctx, place, part);
        await writer.send('recordings', part, {
          idOf: ({ recordingId }) => recordingId,
          call: (items) => to.recordings.add({ ...place, recordings: items }),
        });
      }
    }
  });

function recordingOf(row: Row): Recording | undefined {
  const recordingId = textOf(row.recordingId) ?? textOf(row.id);
  const from = personOf(row.from);
  if (recordingId === undefined || !from) return undefined;
  const createdAt = timeOf(row.createdAt);
  const fields = { ...without(row, RECORDING_FIELDS), recordingId, from };
  return { ...fields, ...(createdAt !== undefined && { createdAt }) } as unknown as Recording;
}

/** The file of a recording becomes an attachment, which `attachmentId` names. */
async function moveFiles(ctx: ImportContext, place: Place, recordings: Recording[]): Promise<void> {
  if (ctx.writer.isDryRun) return;
  const recordingIds = recordings.map(({ recordingId }) => recordingId);
  const { data } = await ctx.to.recordings.get({ ...place, recordingIds });
  const known = new Set(data.map(({ recordingId }) => recordingId));
  for (const recording of recordings) {
    if (known.has(recording.recordingId)) continue;
    const { url, recordingName: name, from } = recording;
    const attachmentId = await ctx.files.move(place, { url, name }, from?.userId);
    if (attachmentId !== undefined) Object.assign(recording, { attachmentId });
  }
}

export const importContents = (
  ctx: ImportContext,
  organizationId: string,
  documentIds: string[],
): Promise<void> =>
  eachReadable(ctx, { kind: 'contents', organizationId, documentIds }, async (place) => {
    const { rows } = await ctx.from.read('/v2/crdt/get', place);
    const contents = rows.flatMap((row) => {
      const editorId = textOf(row.id) ?? textOf(row.editorId);
      return editorId === undefined ? [] : [{ editorId, data: row.data, type: typeOf(row) }];
    });
    for (const content of contents) {
      await ctx.writer.send('contents', [content], {
        idOf: ({ editorId }) => `${place.documentId}/${editorId}`,
        call: async ([one = content]) => {
          await ctx.to.crdt.add({ ...place, ...one });
          return undefined;
        },
      });
    }
  });

/** The service may leave the type out. */
function typeOf({ type, data }: Row): ContentType {
  if (type === 'text' || type === 'map' || type === 'array' || type === 'xml') return type;
  if (Array.isArray(data)) return 'array';
  if (isRow(data)) return 'map';
  return textOf(data)?.startsWith('<') ? 'xml' : 'text';
}

/** Documents that the service cannot read are noted, and the others go on. */
async function eachReadable(
  ctx: ImportContext,
  {
    kind,
    organizationId,
    documentIds,
  }: { kind: Kind; organizationId: string; documentIds: string[] },
  work: (place: Place) => Promise<void>,
): Promise<void> {
  await fewAtOnce(documentIds, async (documentId) => {
    try {
      await work({ organizationId, documentId });
    } catch (error) {
      if (!isMissing(error)) throw error;
      ctx.writer.tally.refuse(kind, documentId, 'The hosted service cannot read them.');
    }
  });
}
