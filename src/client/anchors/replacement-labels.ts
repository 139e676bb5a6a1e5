/** A text that is suggested to replace a passage. */
export interface Replacement {
  /** The range in which the page shows the passage. */
  passage: Range;
  text: string;
}

/**
 * Shows each suggested replacement after the end of its passage, in an element with the class `suggested-text`. If
 * other text follows in the line, the element is above the line. The elements lie over the page: an editor would treat
 * elements in its text as edits.
 */
export class ReplacementLabels {
  readonly #element: HTMLElement;
  readonly #layer: HTMLElement;
  readonly #resized = new ResizeObserver(() => this.#positionLabels());
  readonly #ending = new AbortController();
  #shown: Array<{ label: HTMLElement; passage: Range }> = [];

  /** @param element the element that holds the text of the editor */
  constructor(element: HTMLElement) {
    this.#element = element;
    this.#layer = element.ownerDocument.createElement('div');
    Object.assign(this.#layer.style, {
      position: 'absolute',
      zIndex: '1',
      top: '0',
      left: '0',
      pointerEvents: 'none',
    });
    // Inside the editor's element, labels at its edges would be cut off.
    element.ownerDocument.body.append(this.#layer);
    this.#resized.observe(element);
    const options = { capture: true, passive: true, signal: this.#ending.signal };
    element.ownerDocument.addEventListener('scroll', () => this.#positionLabels(), options);
  }

  /** Shows these replacements, and no others. */
  show(replacements: Replacement[]): void {
    this.#shown = replacements.map(({ passage, text }) => {
      const label = this.#element.ownerDocument.createElement('ins');
      label.className = 'suggested-text';
      // A label is cut off after one line, so that it covers little of the text. The thread shows the whole replacement.
      Object.assign(label.style, {
        position: 'absolute',
        boxSizing: 'border-box',
        width: 'max-content',
        overflow: 'hidden',
        whiteSpace: 'nowrap',
        textOverflow: 'ellipsis',
      });
      label.textContent = text;
      return { label, passage };
    });
    this.#layer.replaceChildren(...this.#shown.map(({ label }) => label));
    this.#positionLabels();
  }

  destroy(): void {
    this.#resized.disconnect();
    this.#ending.abort();
    this.#layer.remove();
  }

  #positionLabels(): void {
    const origin = this.#layer.getBoundingClientRect();
    const { left, right } = this.#element.getBoundingClientRect();
    // The element around the text is the one that scrolls, so labels outside it are hidden.
    const visible = (this.#element.parentElement ?? this.#element).getBoundingClientRect();
    for (const { label, passage } of this.#shown) {
      const end = [...passage.getClientRects()].at(-1);
      label.hidden = !end || end.top > visible.bottom || end.bottom < visible.top;
      if (!end || label.hidden) continue;
      label.style.maxWidth = `${right - left}px`;
      const { offsetWidth, offsetHeight } = label;
      const middle = (end.top + end.bottom) / 2;
      const isInLine =
        end.right + offsetWidth <= right && !isFollowedByText(passage, right, middle);
      const x = isInLine ? end.right : Math.max(left, Math.min(end.left, right - offsetWidth));
      const y = isInLine ? middle - offsetHeight / 2 : end.top - offsetHeight;
      label.style.left = `${x - origin.left}px`;
      label.style.top = `${y - origin.top}px`;
    }
  }
}

/** Whether text follows a passage in its last line, up to these coordinates; true in an old browser, which cannot tell. */
function isFollowedByText(passage: Range, right: number, middle: number): boolean {
  const page = passage.endContainer.ownerDocument;
  const lineEnd = page?.caretPositionFromPoint?.(right - 1, middle);
  if (!page || !lineEnd) return true;
  const rest = page.createRange();
  rest.setStart(passage.endContainer, passage.endOffset);
  rest.setEnd(lineEnd.offsetNode, lineEnd.offset);
  return rest.toString().trim() !== '';
}
