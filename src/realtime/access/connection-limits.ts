import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { Session } from '../live-connection.ts';

/** The most connections to documents that this process accepts. */
export interface ConnectionMaxima {
  user: number;
  /** Connections of one user to one document. */
  userInDocument: number;
  document: number;
  key: number;
}

/** The share of a document's and a key's limit that users without a grant may take. */
const SHARE_WITHOUT_GRANT = 0.75;

type Connected = Pick<Session, 'userId' | 'hasGrant'>;

/** Something whose connections are counted, such as a user or a document, and their limit. */
interface Counter {
  key: string;
  max: number;
}

/** Counts connections to documents by user, document and API key. */
export class ConnectionLimits {
  readonly #maxima: ConnectionMaxima;
  /** How many connections there are, by the key of a counter. */
  readonly #counts = new Map<string, number>();

  constructor(maxima: ConnectionMaxima) {
    this.#maxima = maxima;
  }

  /** Whether one more connection would exceed a limit. */
  isFull(name: LiveDocumentName, connected: Connected): boolean {
    return this.#countersOf(name, connected).some(
      ({ key, max }) => (this.#counts.get(key) ?? 0) >= max,
    );
  }

  add(name: LiveDocumentName, session: Session): void {
    for (const { key } of this.#countersOf(name, session)) {
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    }
  }

  delete(name: LiveDocumentName, session: Session): void {
    for (const { key } of this.#countersOf(name, session)) {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    }
  }

  #countersOf(name: LiveDocumentName, { userId, hasGrant }: Connected): Counter[] {
    const { tenantId, organizationId, documentId } = name;
    const { user, userInDocument, document, key } = this.#maxima;
    const documentKey = [tenantId, organizationId, documentId];
    const counters = [
      counter(['user', tenantId, userId], user),
      counter(['user in document', ...documentKey, userId], userInDocument),
      counter(['document', ...documentKey], document),
      counter(['key', tenantId], key),
    ];
    if (hasGrant) return counters;
    return [
      ...counters,
      counter(['without grant', ...documentKey], Math.ceil(document * SHARE_WITHOUT_GRANT)),
      counter(['without grant', tenantId], Math.ceil(key * SHARE_WITHOUT_GRANT)),
    ];
  }
}

const counter = (parts: string[], max: number): Counter => ({ key: JSON.stringify(parts), max });
