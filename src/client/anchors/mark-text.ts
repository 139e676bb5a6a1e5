import {
  type Anchor,
  anchorOf,
  createAnchor,
  resolveAnchors,
  resolveQuotes,
  type TextRange,
} from '../../platform/anchors/anchor.ts';
import { suggestionOf } from '../core/suggestion.ts';
import { Listeners } from '../listeners.ts';
import type { EditorText } from './editor-text.ts';
import { ReplacementLabels } from './replacement-labels.ts';

/** The part of a thread that its marks need. */
interface MarkedThread {
  annotationId: string;
  location?: unknown;
  suggestion?: unknown;
}

export interface MarkOptions {
  /**
   * The name of the highlight, `comment` by default. Style it as `::highlight(comment)`, and the thread that was
   * scrolled to as `::highlight(comment-active)`. Text that a suggestion replaces is always `::highlight(suggestion)`.
   */
  name?: string | undefined;
  /** Called when the user clicks on a passage that has a thread. */
  onClick?: ((annotationId: string) => void) | undefined;
}

/** A thread with the passages that it is about. */
interface AnchoredThread {
  annotationId: string;
  anchor: Anchor;
  /** The suggested texts, one for each piece of the anchor; undefined without a pending suggestion. */
  replacements: string[] | undefined;
}

/** A piece of an anchor that was found in the text. */
interface Passage {
  annotationId: string;
  range: TextRange;
  replacement: string | undefined;
  /** The range in which the page shows the passage; undefined if the editor does not render it. */
  shown?: Range | undefined;
}

/**
 * Marks the passages that threads are about in an editor. The marks are CSS highlights: they write nothing into the
 * text, and work in the same way in every editor.
 */
export class TextMarks {
  readonly #text: EditorText;
  readonly #highlights: Record<'thread' | 'active' | 'suggestion', Highlight | undefined>;
  readonly #labels: ReplacementLabels;
  readonly #observer: MutationObserver;
  readonly #ending = new AbortController();
  readonly #listeners = new Listeners();
  #threads: AnchoredThread[] = [];
  #passages: Passage[] = [];
  #active: string | undefined;
  #orphans: ReadonlySet<string> = new Set();
  #frame: number | undefined;

  constructor(text: EditorText, { name = 'comment', onClick }: MarkOptions = {}) {
    this.#text = text;
    this.#highlights = {
      thread: highlightOf(name),
      active: highlightOf(`${name}-active`),
      suggestion: highlightOf('suggestion'),
    };
    this.#labels = new ReplacementLabels(text.element);
    // Editors redraw their text for many reasons, not all of which cause an event. So watch for changes to the DOM.
    this.#observer = new MutationObserver(() => this.#markSoon());
    this.#observer.observe(text.element, { childList: true, characterData: true, subtree: true });
    const onTextClick = ({ clientX, clientY }: MouseEvent) => {
      const annotationId = this.#threadAt(clientX, clientY);
      if (annotationId !== undefined) onClick?.(annotationId);
    };
    text.element.addEventListener('click', onTextClick, { signal: this.#ending.signal });
  }

  /** The ids of the threads whose text is gone. Each change creates a new set. */
  get orphans(): ReadonlySet<string> {
    return this.#orphans;
  }

  /** Calls the listener when `orphans` changes. @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    return this.#listeners.subscribe(listener);
  }

  /** Returns an anchor at the selected text; undefined if no text is selected. */
  createAnchor(): Anchor | undefined {
    const anchor = createAnchor(this.#text.selected());
    return anchor.pieces.length > 0 ? anchor : undefined;
  }

  /**
   * Marks the passages of these threads only. Threads without an anchor have no passage. The text that
   * a pending suggestion would insert is shown next to its passage.
   */
  show(threads: readonly MarkedThread[]): void {
    this.#threads = threads.flatMap(anchoredThreadOf);
    this.#mark();
  }

  /** Brings the passage of a thread into view, and marks it as the active one. @returns false if the passage is gone */
  scrollTo(annotationId: string): boolean {
    const passage = this.#passages.find((each) => each.annotationId === annotationId);
    if (!passage) return false;
    this.#active = annotationId;
    if (this.#text.scrollTo) this.#text.scrollTo(passage.range);
    else elementOf(passage.shown)?.scrollIntoView({ block: 'center' });
    this.#mark();
    return true;
  }

  destroy(): void {
    this.#observer.disconnect();
    this.#ending.abort();
    this.#listeners.clear();
    this.#removeMarks();
    this.#labels.destroy();
  }

  #markSoon(): void {
    this.#frame ??= requestAnimationFrame(() => this.#mark());
  }

  #mark(): void {
    this.#removeMarks();
    const passages = this.#findPassages();
    const ranges = this.#text.render(passages.map(({ range }) => range));
    this.#passages = passages.map((passage, at) => ({ ...passage, shown: ranges[at] }));
    for (const passage of this.#passages) this.#highlight(passage);
    this.#labels.show(
      this.#passages.flatMap(({ replacement, shown }) =>
        shown && replacement ? [{ passage: shown, text: replacement }] : [],
      ),
    );
    const foundIds = new Set(this.#passages.map(({ annotationId }) => annotationId));
    const ids = this.#threads.map(({ annotationId }) => annotationId);
    this.#setOrphans(ids.filter((id) => !foundIds.has(id)));
  }

  #findPassages(): Passage[] {
    const { root } = this.#text;
    const comments = this.#threads.filter(({ replacements }) => !replacements);
    const resolved = resolveAnchors(
      root,
      comments.map(({ anchor }) => anchor),
    );
    const commentRanges = new Map(comments.map((thread, at) => [thread, resolved[at]]));
    return this.#threads.flatMap((thread) => {
      const { annotationId, anchor, replacements } = thread;
      // A suggestion can be accepted only while its whole quote is unchanged, so other matches are not marked.
      const ranges = replacements ? resolveQuotes(root, anchor) : commentRanges.get(thread);
      return (ranges ?? []).flatMap((range, piece) =>
        range ? [{ annotationId, range, replacement: replacements?.[piece] }] : [],
      );
    });
  }

  #highlight({ annotationId, replacement, shown }: Passage): void {
    if (!shown) return;
    const { thread, active, suggestion } = this.#highlights;
    if (replacement !== undefined) suggestion?.add(shown);
    if (annotationId === this.#active) active?.add(shown);
    else if (replacement === undefined) thread?.add(shown);
  }

  /** Removes the marks, and cancels the drawing of new ones. */
  #removeMarks(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    for (const { shown } of this.#passages) {
      if (!shown) continue;
      for (const highlight of Object.values(this.#highlights)) highlight?.delete(shown);
    }
  }

  #setOrphans(ids: string[]): void {
    if (ids.length === this.#orphans.size && ids.every((id) => this.#orphans.has(id))) return;
    this.#orphans = new Set(ids);
    this.#listeners.notify();
  }

  #threadAt(x: number, y: number): string | undefined {
    const isAt = ({ left, right, top, bottom }: DOMRect) =>
      left <= x && x <= right && top <= y && y <= bottom;
    const covers = (range: Range) => [...range.getClientRects()].some(isAt);
    return this.#passages.find(({ shown }) => shown && covers(shown))?.annotationId;
  }
}

/** Marks the passages of threads in an editor, until `destroy()`. */
export const markText = (text: EditorText, options?: MarkOptions): TextMarks =>
  new TextMarks(text, options);

/** Returns the thread and its anchor as a list of one; an empty list if the thread has no anchor. */
function anchoredThreadOf(thread: MarkedThread): AnchoredThread[] {
  const anchor = anchorOf(thread);
  if (!anchor) return [];
  const suggestion = suggestionOf(thread);
  const isPending = suggestion?.status === 'pending';
  const replacements = isPending ? suggestion.parts.map((part) => part.replacement) : undefined;
  return [{ annotationId: thread.annotationId, anchor, replacements }];
}

/** Returns the highlight of this name, which all editors of a page share; undefined in an old browser. */
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
