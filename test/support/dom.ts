import { Window } from 'happy-dom';
import type { ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { vi } from 'vitest';
import { whenFileEnds, whenTestEnds } from './when-file-ends.ts';

const VALUES = [
  'document',
  'Node',
  'Element',
  'HTMLElement',
  'Text',
  'DOMParser',
  'MutationObserver',
];
const FUNCTIONS = [
  'addEventListener',
  'getSelection',
  'getComputedStyle',
  'requestAnimationFrame',
  'cancelAnimationFrame',
];

/** Gives editors the parts of a browser that they need, until the end of the test file. */
export function provideDom(): void {
  const window = new Window();
  const browser = window as unknown as Record<string, unknown>;
  const parts = {
    window,
    ...Object.fromEntries(VALUES.map((name) => [name, browser[name]])),
    ...Object.fromEntries(
      FUNCTIONS.map((name) => [name, (browser[name] as () => unknown).bind(window)]),
    ),
  };
  Object.assign(globalThis, parts);
  whenFileEnds(async () => {
    for (const name of Object.keys(parts)) Reflect.deleteProperty(globalThis, name);
    await window.happyDOM.close();
  });
}

/** Renders components into an element of its own, until the test ends. */
export function render(page: ReactNode): HTMLElement {
  const element = document.createElement('div');
  const root = createRoot(element);
  unmountWhenTestEnds(root);
  root.render(page);
  return element;
}

/** Unmounts a page of components after the test, while its window is still there. */
export const unmountWhenTestEnds = (root: Root): void =>
  whenTestEnds(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    root.unmount();
    // React ends the effects in the next turn, and shared work ends a second later. Both need the window for it.
    await new Promise(setImmediate);
    // Connections may have set timers meanwhile that they set again and again, so not all timers can run.
    vi.advanceTimersByTime(1_000);
    vi.useRealTimers();
  });
