/**
 * Which user each Yjs client id of a document belongs to, as far as this process knows: whoever
 * wrote with it first. What is claimed here is stored with the edits that it was claimed for.
 */
export class ClientOwners {
  readonly #owners = new Map<number, string>();
  #unsaved = new Map<number, string>();

  get(client: number): string | undefined {
    return this.#owners.get(client);
  }

  /** What the database says. */
  learn(stored: ReadonlyMap<number, string>): void {
    for (const [client, userId] of stored) this.#owners.set(client, userId);
  }

  claim(clients: readonly number[], userId: string): void {
    for (const client of clients) {
      this.#owners.set(client, userId);
      this.#unsaved.set(client, userId);
    }
  }

  /** What has to be stored with the next edits. */
  take(): ReadonlyMap<number, string> {
    const claims = this.#unsaved;
    this.#unsaved = new Map();
    return claims;
  }

  putBack(claims: ReadonlyMap<number, string>): void {
    this.#unsaved = new Map([...claims, ...this.#unsaved]);
  }
}
