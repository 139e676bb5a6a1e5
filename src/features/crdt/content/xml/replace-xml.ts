import * as Y from 'yjs';
import { stepsBetween } from '../align.ts';
import { alignNodes, type NodeComparison } from './align-nodes.ts';
import { buildChild, embedSteps } from './build-xml.ts';
import { type DeltaStep, diffRuns } from './diff-runs.ts';
import type { XmlReading, XmlSource } from './read-xml.ts';
import { replaceAttributes } from './replace-attributes.ts';
import { changesNothing, splitDelta } from './split-delta.ts';
import { isElement, runLength, type XmlElement, type XmlNode, type XmlText } from './xml-tree.ts';

/** Changes stored rich text into another tree, inside a transaction. */
export class XmlReplacement {
  readonly #sources: XmlReading['sources'];
  readonly #comparison: NodeComparison;

  constructor(sources: XmlReading['sources'], comparison: NodeComparison) {
    this.#sources = sources;
    this.#comparison = comparison;
  }

  replaceChildren(
    parent: Y.XmlFragment,
    before: readonly XmlNode[],
    after: readonly XmlNode[],
  ): void {
    const edits = new ChildEdits(parent);
    const pairs = alignNodes(before, after, this.#comparison);
    for (const { removed, added, kept } of stepsBetween(before, after, pairs)) {
      for (const node of removed) edits.delete(this.#sourcesOf(node));
      edits.insert(added.map(buildChild));
      if (!kept) continue;
      edits.goPast(this.#sourcesOf(kept.before));
      this.#replaceChild(kept.before, kept.after);
    }
    edits.finish();
  }

  #replaceChild(before: XmlNode, after: XmlNode): void {
    if (this.#comparison.ids.areEqual(before, after)) return;
    if (isElement(before) && isElement(after)) this.#replaceElement(before, after);
    else if (!isElement(before) && !isElement(after)) this.#replaceText(before, after);
  }

  #replaceElement(before: XmlElement, after: XmlElement): void {
    const [type] = this.#sourcesOf(before);
    if (!type) return;
    replaceAttributes(type, before.attributes, after.attributes, this.#comparison);
    if (type instanceof Y.XmlElement) this.replaceChildren(type, before.children, after.children);
  }

  /** Changes a text. It may be stored in several Y.XmlTexts, which keep their positions. */
  #replaceText(before: XmlText, after: XmlText): void {
    const parts = this.#sourcesOf(before).filter((source) => source instanceof Y.XmlText);
    const steps = diffRuns(before.runs, after.runs, this.#comparison.budget);
    const shares = splitDelta(
      steps,
      parts.map((part) => part.length),
    );
    for (const [at, part] of parts.entries()) applySteps(part, shares[at] ?? []);
  }

  /** Replaces the content of a Y.XmlText with embedded elements. */
  replaceEmbedded(parent: Y.XmlText, before: readonly XmlNode[], after: readonly XmlNode[]): void {
    const steps: DeltaStep[] = [];
    const pairs = alignNodes(before, after, this.#comparison);
    for (const { removed, added, kept } of stepsBetween(before, after, pairs)) {
      steps.push(...added.flatMap(embedSteps));
      for (const node of removed) steps.push({ delete: extentOf(node) });
      if (kept) steps.push(...this.#replaceEmbeddedNode(kept.before, kept.after));
    }
    applySteps(parent, steps);
  }

  /** Changes an embedded node, and returns the steps for the text around it. */
  #replaceEmbeddedNode(before: XmlNode, after: XmlNode): DeltaStep[] {
    if (this.#comparison.ids.areEqual(before, after)) return [{ retain: extentOf(before) }];
    if (!isElement(before) || !isElement(after)) return this.#diffTextOf([before], [after]);
    const [type] = this.#sourcesOf(before);
    if (before.kind === 'xml') {
      this.#replaceElement(before, after);
    } else if (type) {
      replaceAttributes(type, before.attributes, after.attributes, this.#comparison);
      if (type instanceof Y.XmlText) this.replaceEmbedded(type, before.children, after.children);
    }
    const text = before.kind === 'text' ? this.#diffTextOf(before.children, after.children) : [];
    return [{ retain: 1 }, ...text];
  }

  #diffTextOf(before: readonly XmlNode[], after: readonly XmlNode[]): DeltaStep[] {
    const runs = (nodes: readonly XmlNode[]) =>
      nodes.flatMap((node) => (isElement(node) ? [] : node.runs));
    return diffRuns(runs(before), runs(after), this.#comparison.budget);
  }

  #sourcesOf(node: XmlNode): readonly XmlSource[] {
    return this.#sources.get(node) ?? [];
  }
}

/** The number of positions that a node occupies in a Y.XmlText. A node of kind `text` is a marker before its text. */
function extentOf(node: XmlNode): number {
  if (!isElement(node)) return node.runs.reduce((length, run) => length + runLength(run), 0);
  if (node.kind !== 'text') return 1;
  return node.children.reduce((sum, child) => sum + extentOf(child), 1);
}

function applySteps(text: Y.XmlText, steps: readonly DeltaStep[]): void {
  if (!changesNothing(steps)) text.applyDelta([...steps]);
}

/**
 * Edits the children of an element from left to right. Positions are given by neighbours and not by
 * indexes, since Yjs would search for each index from the first child on.
 */
class ChildEdits {
  readonly #parent: Y.XmlFragment;
  #last: XmlSource | null = null;
  #isChanged = false;

  constructor(parent: Y.XmlFragment) {
    this.#parent = parent;
  }

  goPast(types: readonly XmlSource[]): void {
    this.#last = types.at(-1) ?? this.#last;
  }

  insert(types: (Y.XmlElement | Y.XmlText)[]): void {
    if (types.length === 0) return;
    // This works after a deleted child too, since it keeps its place among the items of Yjs.
    this.#parent.insertAfter(this.#last?._item ?? null, types);
    this.#last = types.at(-1) ?? null;
    this.#isChanged = true;
  }

  delete(types: readonly XmlSource[]): void {
    for (const type of types) deleteChild(type);
    this.goPast(types);
    this.#isChanged ||= types.length > 0;
  }

  /** Removes empty texts, which are invisible but would separate texts that are now adjacent. */
  finish(): void {
    if (!this.#isChanged) return;
    for (const child of this.#parent.toArray()) {
      if (child instanceof Y.XmlText && child.length === 0) deleteChild(child);
    }
  }
}

function deleteChild({ doc, _item: item }: XmlSource): void {
  if (item) doc?.transact((transaction) => item.delete(transaction));
}
