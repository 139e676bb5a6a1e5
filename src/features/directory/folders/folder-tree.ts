import { type ChainLink, MAX_FOLDER_DEPTH } from '../../access/folder-chains.ts';

/**
 * As much of an organization's folder tree as it takes to judge moves one after the other, each on
 * the tree that those before it made.
 */
export class FolderTree {
  readonly #parents = new Map<string, string | null>();
  readonly #children = new Map<string, Set<string>>();
  readonly #heights: ReadonlyMap<string, number>;

  /**
   * `chains` hold every folder that moves or is moved to; `heights`, for every folder that moves,
   * the levels below it, those below other moving folders left out.
   */
  constructor(
    chains: ReadonlyMap<string, readonly ChainLink[]>,
    heights: ReadonlyMap<string, number>,
  ) {
    this.#heights = heights;
    for (const chain of chains.values()) {
      chain.forEach(({ folderId }, index) => {
        this.#place(folderId, chain[index + 1]?.folderId ?? null);
      });
    }
  }

  /** Moves a folder with everything below it, or says why it cannot. */
  move(folderId: string, parentId: string | null): string | undefined {
    if (parentId !== null && !this.#parents.has(parentId)) return 'Parent folder does not exist.';
    const above = this.#pathTo(parentId);
    if (above.includes(folderId)) return 'A folder cannot stand below itself.';
    if (above.length + 1 + this.#heightOf(folderId) > MAX_FOLDER_DEPTH) {
      return `Folders can be nested ${MAX_FOLDER_DEPTH} deep at most.`;
    }
    this.#children.get(this.#parents.get(folderId) ?? '')?.delete(folderId);
    this.#place(folderId, parentId);
    return undefined;
  }

  #place(folderId: string, parentId: string | null): void {
    this.#parents.set(folderId, parentId);
    if (parentId === null) return;
    const siblings = this.#children.get(parentId) ?? new Set();
    this.#children.set(parentId, siblings.add(folderId));
  }

  /** The folder and those above it. */
  #pathTo(folderId: string | null): string[] {
    const path: string[] = [];
    for (let at = folderId; at !== null; at = this.#parents.get(at) ?? null) path.push(at);
    return path;
  }

  /** The levels below a folder. */
  #heightOf(folderId: string): number {
    let height = this.#heights.get(folderId) ?? 0;
    for (const child of this.#children.get(folderId) ?? []) {
      height = Math.max(height, 1 + this.#heightOf(child));
    }
    return height;
  }
}
