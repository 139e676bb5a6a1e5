/** How long a cached proof is used at most, even where notifications do not arrive. */
const LIFETIME_MS = 900;

/** The NOTIFY channel on which triggers publish the key or workspace whose credentials changed. */
export const CREDENTIALS_CHANNEL = 'credentials_changed';

interface Entry {
  /** Undefined while the credentials are being looked up. */
  owners: readonly string[] | undefined;
  lookedUpAt: number;
  proof: Promise<Proof | undefined>;
}

/** The identity that credentials prove. */
export interface Proof {
  /** The API key or workspace that they belong to: a change of any of these ends the entry. */
  owners: readonly string[];
}

/**
 * Keeps what credentials proved for less than a second, so that frequent calls need no statement each.
 * Wrong credentials are not kept: they are looked up and counted each time.
 */
export class CredentialCache {
  /** By the credentials, the oldest first. */
  readonly #entries = new Map<string, Entry>();

  /** Returns the identity that these credentials prove, if any. Concurrent callers share one lookup. */
  get<Found extends Proof>(
    credentials: string,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    this.#removeExpired();
    const existing = this.#entries.get(credentials);
    if (existing) return existing.proof as Promise<Found | undefined>;
    const proof = lookUp();
    const entry: Entry = { owners: undefined, lookedUpAt: performance.now(), proof };
    this.#entries.set(credentials, entry);
    const remove = () => {
      if (this.#entries.get(credentials) === entry) this.#entries.delete(credentials);
    };
    proof.then((found) => {
      if (found) entry.owners = found.owners;
      else remove();
    }, remove);
    return proof;
  }

  /** Forgets the credentials of a key or workspace; without an owner, all credentials. */
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
