/** Nobody is served by a cached answer for longer, also where notifications do not arrive. */
const LIFETIME_MS = 900;

/** The NOTIFY channel on which triggers publish the key or workspace whose credentials changed. */
export const CREDENTIALS_CHANNEL = 'credentials_changed';

interface Entry {
  /** Undefined while the credentials are being looked up. */
  owners: readonly string[] | undefined;
  askedAt: number;
  proof: Promise<Proof | undefined>;
}

/** The identity that credentials prove. */
export interface Proof {
  /** The API key or workspace that they belong to: a change of any of these ends the entry. */
  owners: readonly string[];
}

/**
 * Keeps what credentials proved for less than a second, so that a caller who calls often costs no
 * statement for each call. Wrong credentials are not kept: they are looked up and counted each time.
 */
export class CredentialCache {
  /** By the credentials, the oldest first. */
  readonly #entries = new Map<string, Entry>();

  /**
   * The identity that these credentials prove, or undefined. Callers at the same time share one
   * lookup.
   */
  get<Found extends Proof>(
    credentials: string,
    lookUp: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    this.#removeExpired();
    const known = this.#entries.get(credentials);
    if (known) return known.proof as Promise<Found | undefined>;
    const proof = lookUp();
    const entry: Entry = { owners: undefined, askedAt: performance.now(), proof };
    this.#entries.set(credentials, entry);
    const remove = () => this.#remove(credentials, entry);
    proof.then((found) => {
      if (found) entry.owners = found.owners;
      else remove();
    }, remove);
    return proof;
  }

  /** Forgets all credentials of a key or workspace; without a name, all there are. */
  forget(owner?: string): void {
    for (const [credentials, { owners }] of this.#entries) {
      if (owner === undefined || !owners || owners.includes(owner))
        this.#entries.delete(credentials);
    }
  }

  #removeExpired(): void {
    const oldest = performance.now() - LIFETIME_MS;
    for (const [credentials, { askedAt }] of this.#entries) {
      if (askedAt > oldest) return;
      this.#entries.delete(credentials);
    }
  }

  #remove(credentials: string, entry: Entry): void {
    if (this.#entries.get(credentials) === entry) this.#entries.delete(credentials);
  }
}
