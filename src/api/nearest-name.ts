/** More letters are not compared, so that an unknown name costs little. */
const MAX_LETTERS = 64;
/** Names may differ in so many letters: one in short names. */
const MAX_DISTANCE = 2;
const LETTERS_PER_DIFFERENCE = 4;

/** Verbs that callers expect, and those that operations have. */
const VERBS: ReadonlyArray<[RegExp, string]> = [
  [/(?:list|read|fetch|find|query)$/, 'get'],
  [/(?:create|insert|new)$/, 'add'],
  [/(?:remove|destroy)$/, 'delete'],
  [/(?:edit|change|modify|patch|set)$/, 'update'],
];

/**
 * Returns the name that was probably meant by one that does not exist: ignores separators, case, the
 * version and parents of a path, other words for the verb, and a letter or two.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const wanted = formOf(given.slice(0, 2 * MAX_LETTERS)).slice(0, MAX_LETTERS);
  let nearest: string | undefined;
  let least = Math.min(MAX_DISTANCE, Math.floor(wanted.length / LETTERS_PER_DIFFERENCE)) + 1;
  for (const name of known) {
    const form = formOf(name);
    if (form === '' || Math.abs(form.length - wanted.length) >= least) continue;
    const distance = distanceOf(wanted, form);
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

function formOf(name: string): string {
  const letters = name
    .toLowerCase()
    .replace(/^\/+|\/+$/g, '')
    .replace(/^(?:(?:api|rest|trpc|v\d+)\/|(?:organizations|workspace)\/(?=[^/]+\/))+/, '')
    .replace(/[^a-z0-9]/g, '');
  return VERBS.reduce((text, [other, verb]) => text.replace(other, verb), letters);
}

/** The number of letters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
