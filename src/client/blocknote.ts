import { LiveThreads } from './blocknote/live-threads.ts';
import { fromComment, toCommentData, toThreadData } from './blocknote/thread-data.ts';
import {
  authOf,
  type NewCommentData,
  type ThreadData,
  type ThreadStoreAuth,
} from './blocknote/types.ts';
import type { CollaborationClient } from './create-client.ts';
import { CollaborationError } from './error.ts';
import { randomId } from './random-id.ts';
import { subjectOf } from './subject.ts';

export interface ThreadStoreOptions {
  organizationId: string;
  documentId: string;
  /** With `viewer`, the views offer no writing; `editor` by default. The server decides by itself. */
  role?: 'editor' | 'viewer';
  /** Other rules for what the views offer. */
  auth?: ThreadStoreAuth;
}

interface InThread {
  threadId: string;
}

interface InComment extends InThread {
  commentId: string;
}

/**
 * Connects BlockNote's comment views to the comments of a document:
 *
 *     const threadStore = await connectThreadStore(client, { organizationId, documentId });
 *     useCreateBlockNote({ extensions: [CommentsExtension({ threadStore, resolveUsers })], … });
 *
 * It resolves when the threads have been read. The place of a thread is a mark in the live document,
 * which the editor of its author makes.
 *
 * @throws CollaborationError, such as PERMISSION_DENIED
 */
export async function connectThreadStore(
  client: CollaborationClient,
  { organizationId, documentId, role = 'editor', auth }: ThreadStoreOptions,
): Promise<CollaborationThreadStore> {
  const place = { organizationId, documentId };
  const threads = new LiveThreads(client, place);
  try {
    const [userId] = await Promise.all([subjectOf(client), threads.ready]);
    return new CollaborationThreadStore(client, place, threads, auth ?? authOf(userId, role));
  } catch (error) {
    threads.destroy();
    throw error;
  }
}

/** The threads of a document for BlockNote's `CommentsExtension`, live. */
export class CollaborationThreadStore {
  readonly auth: ThreadStoreAuth;
  /** BlockNote makes the mark. */
  readonly addThreadToDocument = undefined;
  readonly #client: CollaborationClient;
  readonly #place: { organizationId: string; documentId: string };
  readonly #live: LiveThreads;

  /** @internal */
  constructor(
    client: CollaborationClient,
    place: { organizationId: string; documentId: string },
    live: LiveThreads,
    auth: ThreadStoreAuth,
  ) {
    this.auth = auth;
    this.#client = client;
    this.#place = place;
    this.#live = live;
  }

  async createThread({
    initialComment,
    metadata,
  }: {
    initialComment: NewCommentData;
    metadata?: Record<string, unknown>;
  }) {
    const annotationId = randomId();
    const added = await this.#client.commentAnnotations.add({
      ...this.#place,
      commentAnnotations: [{ annotationId, metadata, commentData: [fromComment(initialComment)] }],
    });
    requireSuccess(added);
    await this.#live.readAnew(annotationId);
    return this.getThread(annotationId);
  }

  async addComment({ threadId, comment }: InThread & { comment: NewCommentData }) {
    const commentData = [fromComment(comment)];
    const target = { ...this.#place, annotationId: threadId };
    const [commentId] = await this.#client.comments.add({ ...target, commentData });
    await this.#live.readAnew(threadId);
    const added = this.#thread(threadId).comments.find((each) => each.commentId === commentId);
    if (!added) throw missing('comment');
    return toCommentData(added);
  }

  updateComment({ threadId, commentId, comment }: InComment & { comment: NewCommentData }) {
    const commentData = [{ commentId: Number(commentId), ...fromComment(comment) }];
    return this.#write(threadId, (target) =>
      this.#client.comments.update({ ...target, commentData }),
    );
  }

  async deleteComment({ threadId, commentId }: InComment) {
    const { comments } = this.#thread(threadId);
    const id = Number(commentId);
    // A thread without comments has nothing to show.
    if (comments.every((each) => each.commentId === id)) return this.deleteThread({ threadId });
    await this.#write(threadId, (target) =>
      this.#client.comments.delete({ ...target, commentIds: [id] }),
    );
  }

  async deleteThread({ threadId }: InThread) {
    const input = { ...this.#place, annotationIds: [threadId] };
    requireSuccess(await this.#client.commentAnnotations.delete(input));
    this.#live.forget(threadId);
  }

  resolveThread({ threadId }: InThread) {
    return this.#setStatus(threadId, 'RESOLVED');
  }

  unresolveThread({ threadId }: InThread) {
    return this.#setStatus(threadId, 'OPEN');
  }

  addReaction({ threadId, commentId, emoji }: InComment & { emoji: string }) {
    const reaction = { commentId: Number(commentId), icon: emoji };
    return this.#write(threadId, (target) =>
      this.#client.reactions.add({ ...target, ...reaction }),
    );
  }

  deleteReaction({ threadId, commentId, emoji }: InComment & { emoji: string }) {
    const reaction = { commentId: Number(commentId), icon: emoji };
    return this.#write(threadId, (target) =>
      this.#client.reactions.delete({ ...target, ...reaction }),
    );
  }

  /** @throws CollaborationError when there is no such thread */
  getThread(threadId: string) {
    return toThreadData(this.#thread(threadId));
  }

  getThreads() {
    return new Map([...this.#live.threads].map(([id, thread]) => [id, toThreadData(thread)]));
  }

  subscribe(listener: (threads: Map<string, ThreadData>) => void) {
    return this.#live.subscribe(() => listener(this.getThreads()));
  }

  /** Ends the subscription. */
  destroy(): void {
    this.#live.destroy();
  }

  #thread(threadId: string) {
    const thread = this.#live.threads.get(threadId);
    if (!thread) throw missing('thread');
    return thread;
  }

  #setStatus(threadId: string, id: string): Promise<void> {
    const input = { ...this.#place, annotationIds: [threadId], updatedData: { status: { id } } };
    return this.#write(threadId, () => this.#client.commentAnnotations.update(input));
  }

  /** BlockNote shows what is stored as soon as the promise resolves. */
  async #write(
    annotationId: string,
    send: (target: {
      organizationId: string;
      documentId: string;
      annotationId: string;
    }) => Promise<Record<string, { success: boolean; message: string }>>,
  ): Promise<void> {
    requireSuccess(await send({ ...this.#place, annotationId }));
    await this.#live.readAnew(annotationId);
  }
}

function requireSuccess(outcomes: Record<string, { success: boolean; message: string }>): void {
  const [outcome] = Object.values(outcomes);
  if (!outcome?.success) throw missing('thread', outcome?.message);
}

const missing = (kind: string, message = `There is no such ${kind}.`): CollaborationError =>
  new CollaborationError({ status: 'NOT_FOUND', httpStatus: 200, message });
