import { type ChainLink, MAX_FOLDER_DEPTH } from '../../access/folder-chains.ts';

/** The reasons why a folder cannot be added or moved. */
export const PROBLEMS = {
  noParent: 'Parent folder does not exist.',
  parentBeingDeleted: 'Parent folder is being deleted.',
  circular: 'A folder cannot be below itself.',
  tooDeep: `Folders can be nested at most ${MAX_FOLDER_DEPTH} levels deep.`,
};

/**
 * The part of an organization's folder tree that is needed to check a sequence of moves and
 * additions. Each is checked on the tree that the previous ones produced.
 */
export class FolderTree {
  readonly #parents = new Map<string, string | null>();
  readonly #children = new Map<string, Set<string>>();
  readonly #heights: ReadonlyMap<string, number>;

  /**
   * `chains` contains every existing folder that is moved, and every target folder. `heights` has the number of
   * levels below each moved folder. They end above another moved folder, which has a height of its own.
   */
  constructor(
    chains: ReadonlyMap<string, readonly ChainLink[]>,
    heights: ReadonlyMap<string, number> = new Map(),
  ) {
    this.#heights = heights;
    for (const chain of chains.values()) {
      chain.forEach(({ folderId }, index) => {
        this.#setParent(folderId, chain[index + 1]?.folderId ?? null);
      });
    }
  }

  /**
   * Adds a folder, or moves it with everything below it.
   *
   * @returns the reason if this is impossible
   */
  move(folderId: string, parentId: string | null): string | undefined {
    if (parentId !== null && !this.#parents.has(parentId)) return PROBLEMS.noParent;
    const above = this.#pathTo(parentId);
    if (above.includes(folderId)) return PROBLEMS.circular;
    const depth = above.length + 1 + this.#heightOf(folderId);
    if (depth > MAX_FOLDER_DEPTH) return PROBLEMS.tooDeep;
    this.#children.get(this.#parents.get(folderId) ?? '')?.delete(folderId);
    this.#setParent(folderId, parentId);
    return undefined;
  }

  #setParent(folderId: string, parentId: string | null): void {
    this.#parents.set(folderId, parentId);
    if (parentId === null) return;
    const siblings = this.#children.get(parentId) ?? new Set();
    this.#children.set(parentId, siblings.add(folderId));
  }

  /** Returns the folder and those above it. */
  #pathTo(folderId: string | null): string[] {
    const path: string[] = [];
    for (let id = folderId; id !== null; id = this.#parents.get(id) ?? null) path.push(id);
    return path;
  }

  #heightOf(folderId: string): number {
    let height = this.#heights.get(folderId) ?? 0;
    for (const child of this.#children.get(folderId) ?? []) {
      height = Math.max(height, 1 + this.#heightOf(child));
    }
    return height;
  }
}
