import { fromComment, toCommentData, toThreadData } from './blocknote/thread-data.ts';
import {
  type NewCommentData,
  rulesOf,
  type ThreadData,
  type ThreadStoreAuth,
} from './blocknote/types.ts';
import { collaborationOf, type DocumentRef } from './core/collaboration.ts';
import type { Live } from './core/live.ts';
import { liveThreads, type ThreadsNow } from './core/live-threads.ts';
import { type ThreadActions, threadActions } from './core/thread-actions.ts';
import { requireSuccess, rereadThread } from './core/write.ts';
import type { CollaborationClient } from './create-client.ts';
import { CollaborationError } from './error.ts';
import { randomId } from './random-id.ts';
import { transportOf } from './transport.ts';

export interface ThreadStoreOptions extends DocumentRef {
  /** With `viewer`, the views only show comments. `editor` by default. The server checks every write. */
  role?: 'editor' | 'viewer';
  /** Replaces the rules that decide which actions the views offer. */
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
 * Waits until all threads have been read. A mark in the live document shows where a thread belongs;
 * the editor of the thread's author sets this mark.
 *
 * @throws CollaborationError, such as PERMISSION_DENIED
 */
export async function connectThreadStore(
  client: CollaborationClient,
  { organizationId, documentId, role = 'editor', auth }: ThreadStoreOptions,
): Promise<CollaborationThreadStore> {
  const documentRef = { organizationId, documentId };
  const live = liveThreads(client, { ...documentRef, pageSize: PAGE_SIZE });
  let unsubscribe = () => {};
  const allRead = new Promise<void>((resolve, reject) => {
    unsubscribe = live.subscribe(({ error, isLoading, hasMore, isFetchingMore, fetchMore }) => {
      if (error && !error.retryable) reject(error);
      else if (!isLoading && !hasMore) resolve();
      else if (hasMore && !isFetchingMore) fetchMore();
    });
  });
  try {
    const [userId] = await Promise.all([transportOf(client).userId(), allRead]);
    const rules = auth ?? rulesOf(userId, role);
    return new CollaborationThreadStore(client, documentRef, { live, unsubscribe, auth: rules });
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

/**
 * The most threads that one read returns. All threads are read before the editor starts: BlockNote would show the mark
 * of an unknown thread as resolved.
 */
const PAGE_SIZE = 1000;

/** The threads of a document for BlockNote's `CommentsExtension`, live. */
export class CollaborationThreadStore {
  readonly auth: ThreadStoreAuth;
  /** Undefined, so that BlockNote itself sets the mark of a new thread in the document. */
  readonly addThreadToDocument = undefined;
  readonly #client: CollaborationClient;
  readonly #documentRef: DocumentRef;
  readonly #actions: ThreadActions;
  readonly #live: Live<ThreadsNow>;
  readonly #unsubscribe: () => void;

  /** @internal */
  constructor(
    client: CollaborationClient,
    documentRef: DocumentRef,
    {
      live,
      unsubscribe,
      auth,
    }: { live: Live<ThreadsNow>; unsubscribe: () => void; auth: ThreadStoreAuth },
  ) {
    this.auth = auth;
    this.#client = client;
    this.#documentRef = documentRef;
    this.#actions = threadActions(client, documentRef);
    this.#live = live;
    this.#unsubscribe = unsubscribe;
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
      ...this.#documentRef,
      commentAnnotations: [{ annotationId, metadata, commentData: [fromComment(initialComment)] }],
    });
    requireSuccess(added);
    await this.#readAgain(annotationId);
    return this.getThread(annotationId);
  }

  async addComment({ threadId, comment }: InThread & { comment: NewCommentData }) {
    const commentData = [fromComment(comment)];
    const target = { ...this.#documentRef, annotationId: threadId };
    const [commentId] = await this.#client.comments.add({ ...target, commentData });
    await this.#readAgain(threadId);
    const added = this.#thread(threadId).comments.find((each) => each.commentId === commentId);
    if (!added) throw notFound('comment');
    return toCommentData(added);
  }

  async updateComment({ threadId, commentId, comment }: InComment & { comment: NewCommentData }) {
    const commentData = [{ commentId: Number(commentId), ...fromComment(comment) }];
    const target = { ...this.#documentRef, annotationId: threadId };
    requireSuccess(await this.#client.comments.update({ ...target, commentData }));
    await this.#readAgain(threadId);
  }

  async deleteComment({ threadId, commentId }: InComment) {
    const { comments } = this.#thread(threadId);
    const id = Number(commentId);
    // A thread without comments has nothing to show, so it is deleted with its last comment.
    if (comments.every((each) => each.commentId === id)) return this.deleteThread({ threadId });
    await this.#actions.deleteComment({ annotationId: threadId, commentId: id });
  }

  deleteThread({ threadId }: InThread) {
    return this.#actions.deleteThread({ annotationId: threadId });
  }

  resolveThread({ threadId }: InThread) {
    return this.#actions.setStatus({ annotationId: threadId, status: 'RESOLVED' });
  }

  unresolveThread({ threadId }: InThread) {
    return this.#actions.setStatus({ annotationId: threadId, status: 'OPEN' });
  }

  addReaction(input: InComment & { emoji: string }) {
    return this.#actions.react(reactionOf(input));
  }

  deleteReaction(input: InComment & { emoji: string }) {
    return this.#actions.react({ ...reactionOf(input), remove: true });
  }

  /** @throws CollaborationError when there is no such thread */
  getThread(threadId: string) {
    return toThreadData(this.#thread(threadId));
  }

  getThreads() {
    const { threads } = this.#live.get();
    return new Map(threads.map((thread) => [thread.annotationId, toThreadData(thread)]));
  }

  subscribe(listener: (threads: Map<string, ThreadData>) => void) {
    // A live value calls a new listener at once, which BlockNote does not expect.
    let isSubscribed = false;
    const unsubscribe = this.#live.subscribe(() => isSubscribed && listener(this.getThreads()));
    isSubscribed = true;
    return unsubscribe;
  }

  /** Ends the subscription. */
  destroy(): void {
    this.#unsubscribe();
  }

  #thread(threadId: string) {
    const { threads } = this.#live.get();
    const thread = threads.find(({ annotationId }) => annotationId === threadId);
    if (!thread) throw notFound('thread');
    return thread;
  }

  /** Reads a thread after a write to it: BlockNote shows only stored threads, and the event of the write comes later. */
  #readAgain(annotationId: string): Promise<void> {
    return rereadThread(
      { ...collaborationOf(this.#client), documentRef: this.#documentRef },
      annotationId,
    );
  }
}

const reactionOf = ({ threadId, commentId, emoji }: InComment & { emoji: string }) => {
  return { annotationId: threadId, commentId: Number(commentId), icon: emoji };
};

const notFound = (kind: string): CollaborationError =>
  new CollaborationError({
    status: 'NOT_FOUND',
    httpStatus: 200,
    message: `There is no such ${kind}.`,
  });
