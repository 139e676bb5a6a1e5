import { Window } from 'happy-dom';

/** As much of a browser as editors need. To be imported before them; fetch stays that of Node. */
const window = new Window();
const names = [
  'document',
  'Node',
  'Element',
  'HTMLElement',
  'Text',
  'DOMParser',
  'MutationObserver',
];
const global = globalThis as Record<string, unknown>;
const browser = window as unknown as Record<string, unknown>;
global.window ??= window;
for (const name of names) global[name] ??= browser[name];
for (const name of [
  'getSelection',
  'getComputedStyle',
  'requestAnimationFrame',
  'cancelAnimationFrame',
]) {
  global[name] ??= (browser[name] as () => unknown).bind(window);
}
