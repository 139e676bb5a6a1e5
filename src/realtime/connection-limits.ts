import type { LiveDocumentName } from '../platform/live-documents.ts';
import type { Session } from './live-context.ts';

/** How many connections to documents this process has at most. */
export interface ConnectionMaxima {
  user: number;
  document: number;
  key: number;
}

/** Counts connections to documents by user, document and API key. */
export class ConnectionLimits {
  readonly #maxima: ConnectionMaxima;
  readonly #counts = new Map<string, number>();
  readonly #counted = new Map<Session, string[]>();

  constructor(maxima: ConnectionMaxima) {
    this.#maxima = maxima;
  }

  /** Whether one more would be too many. */
  isFull(name: LiveDocumentName, userId: string): boolean {
    return Object.entries(keysOf(name, userId)).some(
      ([kind, key]) => (this.#counts.get(key) ?? 0) >= this.#maxima[kind as keyof ConnectionMaxima],
    );
  }

  add(name: LiveDocumentName, session: Session): void {
    const keys = Object.values(keysOf(name, session.userId));
    this.#counted.set(session, keys);
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  delete(session: Session): void {
    for (const key of this.#counted.get(session) ?? []) {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
    this.#counted.delete(session);
  }
}

function keysOf(
  { tenantId, organizationId, documentId }: LiveDocumentName,
  userId: string,
): Record<keyof ConnectionMaxima, string> {
  return {
    user: JSON.stringify(['user', tenantId, userId]),
    document: JSON.stringify(['document', tenantId, organizationId, documentId]),
    key: JSON.stringify(['key', tenantId]),
  };
}
