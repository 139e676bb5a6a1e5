/** Matches a name with a valid start. These patterns allow the characters that editors use, not all that XML allows. */
const NAME_START = /^[A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff]/;
const INVALID_CHARACTERS = /[^-.:\w\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff]/g;
const ESCAPE = /_x([0-9A-F]{4})_/g;

const escapeUnit = (unit: string): string =>
  `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;

/**
 * Encodes a name for XML. Each character that XML does not allow becomes `_xHHHH_`, and so does an
 * underscore that would otherwise begin such an escape.
 */
export const encodeName = (name: string): string =>
  NAME_START.test(name) ? encodeRest(name) : encodeLiterally(name);

/** Encodes a name with its first unit escaped, so that it denotes an element and never a mark. */
export const encodeLiterally = (name: string): string =>
  name === '' ? '_x' : escapeUnit(name.charAt(0)) + encodeRest(name.slice(1));

const encodeRest = (rest: string): string =>
  rest
    .replace(ESCAPE, (found) => `${escapeUnit('_')}${found.slice(1)}`)
    .replace(INVALID_CHARACTERS, escapeUnit);

/** Decodes a name, and returns whether it was encoded literally. */
export function decodeName(encoded: string): { name: string; isLiteral: boolean } {
  if (encoded === '_x') return { name: '', isLiteral: true };
  const name = encoded.replace(ESCAPE, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return { name, isLiteral: name !== encoded && encoded !== encodeName(name) };
}
