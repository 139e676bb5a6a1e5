import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChainLink, MAX_FOLDER_DEPTH } from '../../../src/features/access/folder-chains.ts';
import { FolderTree } from '../../../src/features/directory/folders/folder-tree.ts';

type Parents = Map<string, string | null>;

const pathOf = (parents: Parents, id: string | null): string[] =>
  id === null ? [] : [id, ...pathOf(parents, parents.get(id) ?? null)];

const heightOf = (parents: Parents, id: string, skipped: ReadonlySet<string> = new Set()): number =>
  Math.max(
    0,
    ...[...parents]
      .filter(([child, parent]) => parent === id && !skipped.has(child))
      .map(([child]) => 1 + heightOf(parents, child, skipped)),
  );

/** The rules, applied to the whole tree. */
function moveOnWholeTree(parents: Parents, id: string, parent: string | null): boolean {
  if (parent !== null && !parents.has(parent)) return false;
  const above = pathOf(parents, parent);
  if (above.includes(id)) return false;
  if (above.length + 1 + heightOf(parents, id) > MAX_FOLDER_DEPTH) return false;
  parents.set(id, parent);
  return true;
}

/** The part that the database would load for a batch of moves. */
function partialTree(parents: Parents, moves: Array<[string, string | null]>): FolderTree {
  const movers = new Set(moves.map(([id]) => id));
  const known = moves.flat().filter((id): id is string => id !== null && parents.has(id));
  const link = (folderId: string): ChainLink => ({ folderId, accessType: null });
  const chains = new Map(known.map((id) => [id, pathOf(parents, id).map(link)]));
  const heights = new Map([...movers].map((id) => [id, heightOf(parents, id, movers)]));
  return new FolderTree(chains, heights);
}

const name = (index: number) => `f${index}`;

/** A tree in which each folder is below an earlier one or at the root, within the depth limit. */
const trees = (min: number, max: number, isDeep: boolean) =>
  fc.array(fc.nat(), { minLength: min, maxLength: max }).map((numbers) => {
    const parents: Parents = new Map();
    numbers.forEach((number, index) => {
      const above = isDeep ? Math.max(0, index - (number % 2)) : number % (index + 1);
      const parent = above === 0 ? null : name(above - 1);
      const isTooDeep = pathOf(parents, parent).length >= MAX_FOLDER_DEPTH;
      parents.set(name(index), isTooDeep ? null : parent);
    });
    return parents;
  });

const moves = fc.array(fc.tuple(fc.nat(250), fc.option(fc.nat(260))), {
  minLength: 1,
  maxLength: 20,
});

describe('a batch of moves, decided on the affected part of the tree', () => {
  it.each([
    ['bushy trees', trees(1, 30, false)],
    ['trees about as deep as they may be', trees(120, 200, true)],
  ])('has the same outcome as on the whole tree: %s', (_, tree) => {
    fc.assert(
      fc.property(tree, moves, (start, numbers) => {
        const parents: Parents = new Map(start);
        const batch = numbers.map(([id, parent]): [string, string | null] => [
          name(id % start.size),
          parent === null ? null : name(parent % (start.size + 1)),
        ]);
        const partial = partialTree(parents, batch);
        for (const [id, parent] of batch) {
          const problem = partial.move(id, parent);
          expect(problem === undefined).toBe(moveOnWholeTree(parents, id, parent));
        }
        for (const id of parents.keys()) {
          expect(pathOf(parents, id).length).toBeLessThanOrEqual(MAX_FOLDER_DEPTH);
        }
      }),
      { numRuns: 100 },
    );
  });
});
