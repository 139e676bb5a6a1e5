import { Extension } from '@tiptap/core';
import { yCursorPlugin } from '@tiptap/y-tiptap';

interface CaretOptions {
  awareness: unknown;
}

/**
 * Shows where others are in the text. The page's policy admits no style attributes, so colours are
 * set as properties.
 */
export const Carets = Extension.create<CaretOptions>({
  name: 'carets',
  addOptions: () => ({ awareness: undefined }),
  addProseMirrorPlugins() {
    const options = {
      cursorBuilder: drawCaret,
      selectionBuilder: () => ({ class: 'play-marked' }),
    };
    return [yCursorPlugin(this.options.awareness as never, options)];
  },
});

/** The awareness states of others, which may hold anything. */
interface Claimed {
  name?: unknown;
  color?: unknown;
}

const OWN_COLOR = /^#[0-9a-f]{6}$/i;

function drawCaret({ name, color }: Claimed): HTMLElement {
  const caret = document.createElement('span');
  caret.className = 'play-caret';
  const label = document.createElement('span');
  label.className = 'play-caret-name';
  label.textContent = String(name ?? '').split(' ')[0] ?? '';
  if (OWN_COLOR.test(String(color))) caret.style.setProperty('--play-caret', String(color));
  // The text on both sides of a caret stays one word.
  caret.append('\u2060', label, '\u2060');
  return caret;
}
