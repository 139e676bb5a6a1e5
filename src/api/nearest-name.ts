/** Only this many letters are compared, so that a long unknown name costs little. */
const MAX_LETTERS = 64;
/** A name may differ by one letter for every four letters of the unknown name, and by two at most. */
const MAX_DISTANCE = 2;
const LETTERS_PER_DIFFERENCE = 4;

/** Verbs at the end of a name, and the verb that operations use instead. */
const VERBS: ReadonlyArray<[otherVerbs: RegExp, verb: string]> = [
  [/(?:list|read|fetch|find|query)$/, 'get'],
  [/(?:create|insert|new)$/, 'add'],
  [/(?:remove|destroy)$/, 'delete'],
  [/(?:edit|change|modify|patch|set)$/, 'update'],
];

/**
 * Returns the known name that a caller probably meant, if any. The comparison ignores separators, case,
 * the version and parents of a path, other words for the verb, and a letter or two.
 */
export function nearestName(unknown: string, known: Iterable<string>): string | undefined {
  // Twice as many characters are read, since prefixes and separators do not count as letters.
  const searched = normalize(unknown.slice(0, 2 * MAX_LETTERS)).slice(0, MAX_LETTERS);
  const maxDistance = Math.min(MAX_DISTANCE, Math.floor(searched.length / LETTERS_PER_DIFFERENCE));
  let nearest: string | undefined;
  let nearestDistance = maxDistance + 1;
  for (const name of known) {
    const normalized = normalize(name);
    if (normalized === '') continue;
    // The distance is at least the difference between the lengths, which costs less to compute.
    if (Math.abs(normalized.length - searched.length) >= nearestDistance) continue;
    const distance = editDistance(searched, normalized);
    if (distance >= nearestDistance) continue;
    nearest = name;
    nearestDistance = distance;
  }
  return nearest;
}

/** Returns the lower-case letters and digits of a name, without prefixes and with its usual verb. */
function normalize(name: string): string {
  const letters = name
    .toLowerCase()
    .replace(/^\/+|\/+$/g, '')
    .replace(/^(?:(?:api|rest|trpc|v\d+)\/|(?:organizations|workspace)\/(?=[^/]+\/))+/, '')
    .replace(/[^a-z0-9]/g, '');
  return VERBS.reduce((text, [otherVerbs, verb]) => text.replace(otherVerbs, verb), letters);
}

/** The Levenshtein distance: how many letters must be inserted, removed or replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
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
