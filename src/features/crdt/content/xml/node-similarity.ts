import { isElement, isTextRun, type XmlNode } from './xml-tree.ts';

/** A cache of the words of nodes. */
export type NodeWords = Map<XmlNode, ReadonlySet<string>>;

/** The first words and names of a long node are enough to recognize it. */
const MAX_WORDS = 48;
/** Characters of a text that are searched for words. */
const MAX_RUN_LENGTH = 1_000;

/** Returns the similarity of two nodes, from 0 to 1, by the words and element names they share. */
export function similarity(one: XmlNode, other: XmlNode, knownWords: NodeWords): number {
  const [a, b] = [wordsOf(one, knownWords), wordsOf(other, knownWords)];
  if (a.size === 0 && b.size === 0) return 1;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / Math.max(a.size, b.size);
}

function wordsOf(node: XmlNode, knownWords: NodeWords): ReadonlySet<string> {
  const known = knownWords.get(node);
  if (known) return known;
  const words = new Set<string>();
  collect(node, words);
  knownWords.set(node, words);
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
    for (const word of run.text.slice(0, MAX_RUN_LENGTH).split(/\s+/, MAX_WORDS)) {
      if (word !== '') words.add(word);
    }
  }
}
