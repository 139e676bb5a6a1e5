const WIDTH = 100;
const MAX_INDENT = 2;

/**
 * Prints a JSON document in a form that is small and easy to review. Examples, and values that fit
 * on a line, stay on one line. Objects with one member, and the inner levels, add no indentation.
 *
 * @param used the number of characters between the indentation and the value on its line
 */
export function printContractJson(value: unknown, key = '', indent = '', used = 0): string {
  const line = JSON.stringify(value);
  const isLeaf = typeof value !== 'object' || value === null || key === 'example';
  if (isLeaf || indent.length + used + line.length <= WIDTH) return line;
  const isList = Array.isArray(value);
  const open = isList ? '[' : '{';
  const close = isList ? ']' : '}';
  const entries = Object.entries(value);
  const isSingle = entries.length === 1;
  const inner = isSingle || indent.length === MAX_INDENT ? indent : `${indent} `;
  const members = entries.map(([name, member]) => {
    const prefix = isList ? '' : `${JSON.stringify(name)}:`;
    const before = prefix.length + (isSingle ? used + 2 : 0);
    return `${prefix}${printContractJson(member, name, inner, before)}`;
  });
  if (isSingle) return `${open}${members}${close}`;
  return `${open}\n${members.map((text) => `${inner}${text}`).join(',\n')}\n${indent}${close}`;
}
