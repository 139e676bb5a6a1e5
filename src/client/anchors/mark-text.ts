import {
  type Anchor,
  anchorOf,
  createAnchor,
  resolveAnchors,
  type TextRange,
} from '../../platform/anchors/anchor.ts';
import type { EditorText } from './editor-text.ts';

/** A thread, of which its place in the text is needed. */
interface PlacedThread {
  annotationId: string;
  location?: unknown;
  suggestion?: unknown;
}

export interface MarkOptions {
  /**
   * The name for your styles: `::highlight(comment)`, and `::highlight(comment-active)` for the thread
   * that was scrolled to. `comment` by default.
   */
  name?: string;
  /** Called when the user clicks on a passage that has a thread. */
  onClick?: (annotationId: string) => void;
}

/**
 * Marks the passages that threads are about, in the editor that shows them. The marks are highlights of
 * the browser, so that nothing is written into the text, and every editor is marked in the same way.
 */
export class TextMarks {
  readonly #text: EditorText;
  readonly #highlight: Highlight | undefined;
  readonly #activeHighlight: Highlight | undefined;
  readonly #observer: MutationObserver;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<() => void>();
  #threads = new Map<string, Anchor>();
  /** The places of the threads in the text; empty for one whose text is gone. */
  #found = new Map<string, TextRange[]>();
  #shown = new Map<string, Range[]>();
  #active: string | undefined;
  #orphans: ReadonlySet<string> = new Set();
  #frame: number | undefined;

  constructor(text: EditorText, { name = 'comment', onClick }: MarkOptions = {}) {
    this.#text = text;
    this.#highlight = highlightOf(name);
    this.#activeHighlight = highlightOf(`${name}-active`);
    // Editors draw their text anew for many reasons, of which the page is the one witness.
    this.#observer = new MutationObserver(() => this.#markSoon());
    this.#observer.observe(text.element, { childList: true, characterData: true, subtree: true });
    const click = ({ clientX, clientY }: MouseEvent) => {
      const annotationId = this.#threadAt(clientX, clientY);
      if (annotationId !== undefined) onClick?.(annotationId);
    };
    text.element.addEventListener('click', click, { signal: this.#ending.signal });
  }

  /** The threads whose text is gone. It is another set after a change. */
  get orphans(): ReadonlySet<string> {
    return this.#orphans;
  }

  /** Calls the listener when `orphans` changes. @returns its end */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns an anchor at what the user has selected; undefined if that is no text. */
  createAnchor(): Anchor | undefined {
    const anchor = createAnchor(this.#text.selected());
    return anchor.pieces.length > 0 ? anchor : undefined;
  }

  /** Marks the passages of these threads, and of no others. Threads without an anchor have none. */
  show(threads: readonly PlacedThread[]): void {
    this.#threads = new Map(
      threads.flatMap((thread) => {
        const anchor = anchorOf(thread);
        return anchor ? [[thread.annotationId, anchor]] : [];
      }),
    );
    this.#mark();
  }

  /** Brings the passage of a thread into view, and makes it the active one. @returns false if it is gone */
  scrollTo(annotationId: string): boolean {
    const [range] = this.#found.get(annotationId) ?? [];
    if (!range) return false;
    this.#active = annotationId;
    if (this.#text.scrollTo) this.#text.scrollTo(range);
    else elementOf(this.#shown.get(annotationId)?.[0])?.scrollIntoView({ block: 'center' });
    this.#mark();
    return true;
  }

  destroy(): void {
    this.#observer.disconnect();
    this.#ending.abort();
    this.#listeners.clear();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#removeMarks();
  }

  #markSoon(): void {
    this.#frame ??= requestAnimationFrame(() => this.#mark());
  }

  #mark(): void {
    this.#frame = undefined;
    const anchors = resolveAnchors(this.#text.root, [...this.#threads.values()]);
    const ids = [...this.#threads.keys()];
    const found = ids.map((id, at) => [id, anchors[at]?.filter((each) => !!each) ?? []] as const);
    this.#found = new Map(found);
    const ranges = this.#text.render(found.flatMap(([, each]) => each));
    this.#removeMarks();
    this.#shown = new Map(
      found.map(([id, { length }]) => [id, ranges.splice(0, length).filter((each) => !!each)]),
    );
    for (const [id, each] of this.#shown) {
      const highlight = id === this.#active ? this.#activeHighlight : this.#highlight;
      for (const range of each) highlight?.add(range);
    }
    this.#noteOrphans(found.filter(([, { length }]) => length === 0).map(([id]) => id));
  }

  #removeMarks(): void {
    for (const range of [...this.#shown.values()].flat()) {
      this.#highlight?.delete(range);
      this.#activeHighlight?.delete(range);
    }
  }

  #noteOrphans(ids: string[]): void {
    if (ids.length === this.#orphans.size && ids.every((id) => this.#orphans.has(id))) return;
    this.#orphans = new Set(ids);
    for (const listener of this.#listeners) listener();
  }

  #threadAt(x: number, y: number): string | undefined {
    const isAt = ({ left, right, top, bottom }: DOMRect) =>
      left <= x && x <= right && top <= y && y <= bottom;
    const covers = (range: Range) => [...range.getClientRects()].some(isAt);
    return [...this.#shown].find(([, ranges]) => ranges.some(covers))?.[0];
  }
}

/** Marks the passages of threads in an editor, until `destroy()`. */
export const markText = (text: EditorText, options?: MarkOptions): TextMarks =>
  new TextMarks(text, options);

/** The highlight of a name, which several editors of a page share; undefined in an old browser. */
function highlightOf(name: string): Highlight | undefined {
  if (typeof Highlight === 'undefined') return undefined;
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
}

const elementOf = (range: Range | undefined): Element | null | undefined =>
  range?.startContainer instanceof Element
    ? range.startContainer
    : range?.startContainer.parentElement;
