import fc from 'fast-check';

const nested = (levels: number): unknown =>
  JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

/** Values that hostile or defective callers might send. */
const HOSTILE: unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    1e308,
    -0,
    '',
    '0',
    'false',
    '\u0000',
    '\ud800',
    '__proto__',
  ],
  ...[
    [],
    {},
    [[]],
    [null],
    { length: -1 },
    JSON.parse('{"then":"x"}'),
    { toJSON: 1 },
    { constructor: {} },
  ],
  ...[
    'x'.repeat(70_000),
    '\ufdfa'.repeat(3_000),
    '😀'.repeat(600),
    "'; DROP TABLE users; --",
    '%00',
  ],
  ...['9'.repeat(400), '../../etc/passwd', '{{7*7}}', '#{1}', '<svg onload=1>', 'ⓦⓦⓦ.example.com'],
  ...[nested(31), nested(33), nested(70), Array.from({ length: 1_001 }, (_, at) => `id-${at}`)],
  Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`k${at}`, at])),
  JSON.parse('{"__proto__":{"polluted":true}}'),
];

type Change = (holder: Record<string, unknown>, key: string) => void;

const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.nat(HOSTILE.length - 1).map(
      (at): Change =>
        (holder, key) => {
          holder[key] = structuredClone(HOSTILE[at]);
        },
    ),
  },
  fc.constant<Change>((holder, key) => {
    delete holder[key];
  }),
  fc.constant<Change>((holder, key) => {
    holder[`${key}x`] = holder[key];
  }),
  fc.constant<Change>((holder, key) => {
    holder[key] = [holder[key], holder[key]];
  }),
  fc.constant<Change>((holder, key) => {
    holder[key] = String(holder[key]).repeat(50);
  }),
);

/** Half of the inputs unchanged, and half with one or more invalid values. */
export function spoiled(inputs: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const spoiling = fc.array(fc.tuple(fc.nat(), changes), { maxLength: 3 });
  return fc.tuple(inputs, fc.oneof(fc.constant([]), spoiling)).map(([input, all]) => {
    const copy = { data: structuredClone(input) };
    for (const [at, change] of all) {
      const places = placesIn(copy);
      const place = places[at % places.length];
      if (place) change(...place);
    }
    return copy.data;
  });
}

type Place = [holder: Record<string, unknown>, key: string];

function placesIn(root: object): Place[] {
  const places: Place[] = [];
  const pending: unknown[] = [root];
  for (let next = pending.pop(); next !== undefined && places.length < 500; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const key of Object.keys(next)) {
      places.push([next as Record<string, unknown>, key]);
      pending.push((next as Record<string, unknown>)[key]);
    }
  }
  return places;
}

/** A text with changed characters, or a truncated one. */
export const garbled = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      texts,
      fc.nat(),
      fc.constantFrom('', '"', '{', ']', '\\', '\\u0000', '\u0000', 'e999', ','),
    )
    .map(([text, at, instead]) => {
      const cut = at % (text.length + 1);
      return instead === ''
        ? text.slice(0, cut)
        : text.slice(0, cut) + instead + text.slice(cut + 1);
    });
