import { z } from 'zod';
import { id } from '../../../api/fields.ts';
import { consoleKeyOperation, router } from '../../../api/procedures.ts';
import { compareVersions } from './compare-versions.ts';
import { inspectDocument } from './inspect-document.ts';
import { listOpen } from './list-open.ts';
import { listStored } from './list-stored.ts';

const place = { organizationId: id, documentId: id };

export const liveDocumentsRouter = router({
  /** The documents that users have open now over WebSockets, in all processes; at most 200. */
  list: consoleKeyOperation
    .input(z.strictObject({}))
    .query(({ ctx }) => listOpen(ctx, ctx.tenantId)),

  /** All documents with live content, in the order of their ids, a hundred a page. */
  stored: consoleKeyOperation
    .input(z.strictObject({ pageToken: z.string().max(2000).optional() }))
    .query(({ ctx, input }) => listStored(ctx, ctx.tenantId, input.pageToken)),

  /** The editors of a document: the sizes of their logs, and the last edits. */
  inspect: consoleKeyOperation
    .input(z.strictObject(place))
    .query(({ ctx, input }) => inspectDocument(ctx, { tenantId: ctx.tenantId, ...input })),

  /** The changes between two versions of an editor, or between one and the present content. */
  compare: consoleKeyOperation
    .input(z.strictObject({ ...place, editorId: id, from: id, to: id.optional() }))
    .query(({ ctx, input: { from, to, ...name } }) =>
      compareVersions(ctx, { tenantId: ctx.tenantId, ...name }, { from, to }),
    ),
});
