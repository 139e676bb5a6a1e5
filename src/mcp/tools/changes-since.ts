import { z } from 'zod';
import { id } from '../../api/fields.ts';
import { lastEventId } from '../../api/follow.ts';
import { loadAccessTo } from '../../features/access/load-access.ts';
import type { DocumentRef } from '../../features/access/places.ts';
import { requireAccess } from '../../features/access/require-access.ts';
import { ANNOTATION_EVENTS } from '../../features/comments/annotations/annotation-event.ts';
import { presentChanges } from '../../features/comments/live/follow-comments.ts';
import type { CommentChange } from '../../features/comments/live/schema.ts';
import {
  type EventHead,
  findEndOfNextPart,
  readEventHeads,
} from '../../features/events/read-event-heads.ts';
import { AppError } from '../../platform/errors.ts';
import { endOfLog, positionOf, readTopic, wasDeleted } from '../../platform/live-bus/read-log.ts';
import type { AgentContext } from '../agent-context.ts';
import { CONTENT_EVENT } from '../operations/follow-document.ts';
import { toolWithHandler } from '../tool.ts';

const MAX_CHANGES = 50;

const ChangesSince = z.object({
  organizationId: id,
  documentId: id,
  cursor: lastEventId.meta({
    description: 'From the previous result. If you omit it, only the current cursor is returned.',
  }),
});

const documentChange = z.object({
  type: z.string().meta({ description: 'The type of the event, such as `comment.add`.' }),
  at: z.string().meta({ description: 'ISO 8601' }),
  by: z.string().optional().meta({ description: 'The userId of the acting user, if known.' }),
  annotationId: z.string().optional(),
  commentIds: z.array(z.number()).optional(),
});
type DocumentChange = z.infer<typeof documentChange>;

const documentChanges = z.object({
  changes: z.array(documentChange).meta({ description: 'The oldest first.' }),
  cursor: z.string().optional(),
  hasMore: z.boolean(),
});

/** Reads the changes to a document since an event, as far as the user may see them now. */
export const changesSince = toolWithHandler({
  name: 'changes_since',
  title: 'What changed since',
  description:
    'Changes to the content and threads of a document since a cursor. Call it once without a cursor, keep the cursor of the result, and pass it in the next call.',
  input: ChangesSince,
  output: documentChanges,
  writes: false,
  async run(ctx, { cursor, ...document }) {
    const { db, tenantId } = ctx;
    await requireAccess(ctx, { ...document, role: 'viewer' });
    // Give all events that were committed before this call their positions in the log.
    await ctx.events.sequence(tenantId, db);
    const logEnd = await endOfLog(db, tenantId);
    if (cursor === undefined) return { changes: [], cursor: logEnd.eventId, hasMore: false };
    const start = await positionOf(db, tenantId, cursor);
    if (!start) throw cursorTooOld();
    const topic = { ...document, tenantId, types: [...ANNOTATION_EVENTS, CONTENT_EVENT] };
    const sinceCursor = { after: start.position, upTo: logEnd.position };
    if (await wasDeleted(db, topic, sinceCursor)) throw cursorTooOld();
    // There is no index of the events of a document, so each call searches only a part of a long log.
    const partEnd = await findEndOfNextPart(db, tenantId, start.position);
    const searchEnd = partEnd ?? logEnd;
    const range = { after: start.position, upTo: searchEnd.position, limit: MAX_CHANGES };
    const heads = await readEventHeads(db, topic, range);
    const lastOfFullPage = heads.length === MAX_CHANGES ? heads.at(-1) : undefined;
    const upTo = lastOfFullPage ? BigInt(lastOfFullPage.sequence) : searchEnd.position;
    const threadChanges = await readThreadChanges(ctx, document, { ...range, upTo });
    const changes = heads.flatMap((head) =>
      head.type === CONTENT_EVENT ? contentChange(head) : (threadChanges.get(head.id) ?? []),
    );
    return {
      changes,
      cursor: lastOfFullPage?.id ?? searchEnd.eventId,
      hasMore: lastOfFullPage !== undefined || partEnd !== undefined,
    };
  },
});

/** Returns the changes to threads that the user may see, by the ids of their events. Reads one page after the other. */
async function readThreadChanges(
  ctx: AgentContext,
  document: DocumentRef,
  range: { after: bigint; upTo: bigint; limit: number },
): Promise<Map<string, DocumentChange>> {
  const { db, tenantId, userId } = ctx;
  const topic = { ...document, tenantId, types: ANNOTATION_EVENTS };
  const found = new Map<string, DocumentChange>();
  let { after } = range;
  for (;;) {
    const events = await readTopic(db, topic, { ...range, after });
    const last = events.at(-1);
    if (!last) return found;
    const slice = { events, isNewest: false };
    const changes = await presentChanges(ctx, document, slice, () =>
      loadAccessTo(db, { tenantId, userId }, document),
    );
    for (const change of changes) if (change) found.set(change.id, threadChange(change));
    after = last.position;
  }
}

function threadChange({ type, timestamp: at, data }: CommentChange): DocumentChange {
  const { annotationId } = data;
  if (!('actionUser' in data)) return { type, at, annotationId };
  const { actionUser, commentIds } = data;
  return {
    type,
    at,
    annotationId,
    ...(actionUser && { by: actionUser.userId }),
    ...(commentIds && { commentIds }),
  };
}

const USER_CHANNEL = 'user:';

function contentChange({ type, createdAt, channels }: EventHead): DocumentChange {
  const actorChannel = channels.find((channel) => channel.startsWith(USER_CHANNEL));
  const by = actorChannel?.slice(USER_CHANNEL.length);
  return { type, at: createdAt.toISOString(), ...(by !== undefined && { by }) };
}

const cursorTooOld = () =>
  new AppError(
    'OUT_OF_RANGE',
    'cursor: its event is no longer stored, or is older than the document. Read the document and its threads again, and call this without a cursor to get a new one.',
  );
