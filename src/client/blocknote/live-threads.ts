import type { CommentAnnotation, CommentsChangesItem } from '../../api/contract.ts';
import type { CollaborationClient } from '../create-client.ts';
import { follow } from '../follow.ts';

interface Place {
  organizationId: string;
  documentId: string;
}

type Change = CommentAnnotation | 'deleted';

/** All threads of a document, kept up to date. */
export class LiveThreads {
  readonly #client: CollaborationClient;
  readonly #place: Place;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** Resolves when the threads have been read. Rejects with a CollaborationError. */
  readonly ready: Promise<void>;
  #settle: { resolve(): void; reject(error: unknown): void } = { resolve() {}, reject() {} };
  #threads = new Map<string, CommentAnnotation>();
  /** Changes that arrive while the threads are being read. */
  #changes = new Map<string, Change>();

  constructor(client: CollaborationClient, place: Place) {
    this.#client = client;
    this.#place = place;
    this.ready = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    void this.#follow();
  }

  get threads(): ReadonlyMap<string, CommentAnnotation> {
    return this.#threads;
  }

  /** @returns its end */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  destroy(): void {
    this.#stop.abort();
    this.#listeners.clear();
  }

  /** Reads a thread that was written, since its event may come later. */
  async readAnew(annotationId: string): Promise<void> {
    const input = { ...this.#place, annotationIds: [annotationId] };
    const { data } = await this.#client.commentAnnotations.get(input);
    if (data[0]) this.#apply(annotationId, data[0]);
  }

  /** Takes out a thread that was deleted, before its event. */
  forget(annotationId: string): void {
    this.#apply(annotationId, 'deleted');
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const options = { signal, onStart: () => void this.#readAll() };
    const changes = () => this.#client.comments.changes(this.#place, options);
    const failure = await follow<CommentsChangesItem>(changes, {
      take: (item) => {
        const change = item.type === 'comment_annotation.delete' ? 'deleted' : item.data;
        this.#apply(item.data.annotationId, change);
      },
      forget: () => {},
    });
    if (failure) this.#settle.reject(failure);
  }

  async #readAll(): Promise<void> {
    this.#changes.clear();
    const read = new Map<string, CommentAnnotation>();
    try {
      for await (const { data } of this.#client.commentAnnotations.pages(this.#place)) {
        for (const thread of Object.values(data).flat()) {
          if (thread) read.set(thread.annotationId, thread);
        }
      }
      for (const [id, change] of this.#changes) keep(read, id, change);
      this.#threads = read;
      this.#settle.resolve();
      this.#notify();
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  #apply(annotationId: string, change: Change): void {
    this.#changes.set(annotationId, change);
    this.#threads = new Map(this.#threads);
    keep(this.#threads, annotationId, change);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Keeps the newer state of a thread. */
function keep(threads: Map<string, CommentAnnotation>, id: string, change: Change): void {
  if (change === 'deleted') threads.delete(id);
  else if (change.lastUpdated >= (threads.get(id)?.lastUpdated ?? 0)) threads.set(id, change);
}
