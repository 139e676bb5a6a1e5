import { isElement, isTextRun, type XmlNode } from './xml-tree.ts';

/** The cached words of nodes. */
export type Sketches = Map<XmlNode, ReadonlySet<string>>;

/** The first words and names of a long node are enough to recognize it. */
const MAX_WORDS = 48;

/** Returns the similarity of two nodes, from 0 to 1. */
export function similarity(one: XmlNode, other: XmlNode, sketches: Sketches): number {
  const [a, b] = [sketchOf(one, sketches), sketchOf(other, sketches)];
  if (a.size === 0 && b.size === 0) return 1;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / Math.max(a.size, b.size);
}

function sketchOf(node: XmlNode, sketches: Sketches): ReadonlySet<string> {
  const known = sketches.get(node);
  if (known) return known;
  const words = new Set<string>();
  collect(node, words);
  sketches.set(node, words);
  return words;
}

function collect(node: XmlNode, words: Set<string>): void {
  if (words.size >= MAX_WORDS) return;
  if (isElement(node)) {
    for (const child of node.children) {
      if (words.size >= MAX_WORDS) return;
      if (isElement(child)) words.add(`<${child.name}`);
      collect(child, words);
    }
    return;
  }
  for (const run of node.runs) {
    if (!isTextRun(run)) continue;
    for (const word of run.text.slice(0, 1_000).split(/\s+/, MAX_WORDS)) {
      if (word !== '') words.add(word);
    }
  }
}
