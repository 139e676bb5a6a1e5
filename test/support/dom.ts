import { Window } from 'happy-dom';

/** The parts of a browser that editors need. Import this before them. `fetch` remains Node's. */
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
// tRPC's client takes the window's `fetch`.
Object.assign(window, { fetch: globalThis.fetch });
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
