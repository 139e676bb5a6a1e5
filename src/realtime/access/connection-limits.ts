import type { LiveDocumentName } from '../../platform/live-documents.ts';
import type { Session } from '../live-connection.ts';

/** The most connections to documents that this process accepts. */
export interface ConnectionMaxima {
  user: number;
  /** Connections of one user to one document. */
  userInDocument: number;
  document: number;
  /** Connections of all users of one API key. */
  key: number;
}

/** The share of a document's and a key's limit that users without a grant may take. */
const SHARE_WITHOUT_GRANT = 0.75;

type LimitedUser = Pick<Session, 'userId' | 'hasGrant'>;

/** Something whose connections are counted, such as a user or a document, and the most that it may have. */
interface Counter {
  name: string;
  max: number;
}

/** Counts connections to documents by user, document and API key. */
export class ConnectionLimits {
  readonly #maxima: ConnectionMaxima;
  /** How many connections there are, by the name of the counter. */
  readonly #counts = new Map<string, number>();

  constructor(maxima: ConnectionMaxima) {
    this.#maxima = maxima;
  }

  /** Whether one more connection would exceed a limit. */
  isFull(document: LiveDocumentName, user: LimitedUser): boolean {
    return this.#countersOf(document, user).some(
      ({ name, max }) => (this.#counts.get(name) ?? 0) >= max,
    );
  }

  add(document: LiveDocumentName, user: LimitedUser): void {
    for (const { name } of this.#countersOf(document, user)) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
  }

  delete(document: LiveDocumentName, user: LimitedUser): void {
    for (const { name } of this.#countersOf(document, user)) {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left > 0) this.#counts.set(name, left);
      else this.#counts.delete(name);
    }
  }

  #countersOf(
    { tenantId, organizationId, documentId }: LiveDocumentName,
    { userId, hasGrant }: LimitedUser,
  ): Counter[] {
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

const counter = (parts: string[], max: number): Counter => ({ name: JSON.stringify(parts), max });
