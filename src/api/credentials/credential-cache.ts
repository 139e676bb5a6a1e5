/** The longest time for which an entry is used, if no notification removes it sooner. */
const LIFETIME_MS = 900;

/** The NOTIFY channel on which triggers publish the key or workspace whose credentials changed. */
export const CREDENTIALS_CHANNEL = 'credentials_changed';

interface Entry {
  /** Undefined while the credentials are being looked up. */
  owners: readonly string[] | undefined;
  lookedUpAt: number;
  identity: Promise<CachedIdentity | undefined>;
}

/** The identity that credentials prove. */
interface CachedIdentity {
  /** The API key and workspace that own the credentials. A change to one of them removes the entry. */
  owners: readonly string[];
}

/**
 * Caches the identities of callers for less than a second, so that not every call needs a database query.
 * Wrong credentials are not cached: they are looked up and counted each time.
 */
export class CredentialCache {
  /** The entries by their credentials, the oldest first. */
  readonly #entries = new Map<string, Entry>();

  /** Returns the identity that these credentials prove, if any. Concurrent callers share one lookup. */
  get<Found extends CachedIdentity>(
    credentials: string,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    this.#removeExpired();
    const existing = this.#entries.get(credentials);
    if (existing) return existing.identity as Promise<Found | undefined>;
    const identity = lookUp();
    const entry: Entry = { owners: undefined, lookedUpAt: performance.now(), identity };
    this.#entries.set(credentials, entry);
    const remove = () => {
      if (this.#entries.get(credentials) === entry) this.#entries.delete(credentials);
    };
    identity.then((found) => {
      if (found) entry.owners = found.owners;
      else remove();
    }, remove);
    return identity;
  }

  /** Forgets the credentials of an owner, or all. Running lookups are forgotten too: their owner is not known yet. */
  forget(owner?: string): void {
    for (const [credentials, { owners }] of this.#entries) {
      const isAffected = owner === undefined || !owners || owners.includes(owner);
      if (isAffected) this.#entries.delete(credentials);
    }
  }

  #removeExpired(): void {
    const oldest = performance.now() - LIFETIME_MS;
    for (const [credentials, { lookedUpAt }] of this.#entries) {
      if (lookedUpAt > oldest) return;
      this.#entries.delete(credentials);
    }
  }
}
