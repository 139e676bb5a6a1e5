/** The characters of XML names that editors use, a subset of what XML allows. */
const FIRST = /^[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff]/;
const OTHERS = /[^-.:\w\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff]/g;
const ESCAPE = /_x([0-9A-F]{4})_/g;

const escapeUnit = (unit: string): string =>
  `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/**
 * A name as XML can spell it: what XML does not allow in names becomes `_xHHHH_`, and so does an
 * underscore that would otherwise look like the beginning of one.
 */
export function spellName(name: string): string {
  const spelled = name
    .replace(ESCAPE, (found) => `${escapeUnit('_')}${found.slice(1)}`)
    .replace(OTHERS, escapeUnit);
  return FIRST.test(name) ? spelled : spellLiterally(name);
}

/** A spelling that says: this name, and nothing that it may mean beside. Its first unit is escaped. */
export const spellLiterally = (name: string): string =>
  name === '' ? '_x' : escapeUnit(name.charAt(0)) + spellRest(name.slice(1));

const spellRest = (rest: string): string =>
  rest
    .replace(ESCAPE, (found) => `${escapeUnit('_')}${found.slice(1)}`)
    .replace(OTHERS, escapeUnit);

/** The name that was spelled, and whether literally. */
export function readName(spelled: string): { name: string; isLiteral: boolean } {
  if (spelled === '_x') return { name: '', isLiteral: true };
  const name = spelled.replace(ESCAPE, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return { name, isLiteral: name !== spelled && spelled !== spellName(name) };
}
