/**
 * The known owners of a document's Yjs client ids: the first user to write with an id owns it. New
 * claims are stored together with the edits that they were made for.
 */
export class ClientOwners {
  readonly #owners = new Map<number, string>();
  #unsaved = new Map<number, string>();

  get(client: number): string | undefined {
    return this.#owners.get(client);
  }

  /** Adds owners that were read from the database. */
  addStored(stored: ReadonlyMap<number, string>): void {
    for (const [client, userId] of stored) this.#owners.set(client, userId);
  }

  claim(clients: readonly number[], userId: string): void {
    for (const client of clients) {
      this.#owners.set(client, userId);
      this.#unsaved.set(client, userId);
    }
  }

  /** Takes the claims that have to be stored with the next edits. */
  takeUnsaved(): ReadonlyMap<number, string> {
    const claims = this.#unsaved;
    this.#unsaved = new Map();
    return claims;
  }

  putBack(claims: ReadonlyMap<number, string>): void {
    this.#unsaved = new Map([...claims, ...this.#unsaved]);
  }
}
