/** How a language writes a JSON value. */
interface Syntax {
  indent: string;
  /** The space inside the braces of an object on one line. */
  space: string;
  /** The comma after the last of several lines. */
  comma: string;
  key(name: string): string;
  /** Writes a string, a number, a boolean or null. */
  leaf(value: unknown): string;
}

const JSON_SYNTAX: Syntax = {
  indent: '  ',
  space: ' ',
  comma: '',
  key: (name) => JSON.stringify(name),
  leaf: (value) => JSON.stringify(value),
};

/** Writes a string in single quotes, unless it contains single quotes. */
const leafInTypeScript = (value: unknown): string => {
  const text = JSON.stringify(value);
  if (typeof value !== 'string' || text.includes("'")) return text;
  return `'${text.slice(1, -1).replaceAll('\\"', '"')}'`;
};

const TYPESCRIPT: Syntax = {
  indent: '  ',
  space: ' ',
  comma: ',',
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : leafInTypeScript(name)),
  leaf: leafInTypeScript,
};

const PYTHON_WORDS = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);
const PYTHON: Syntax = {
  indent: '    ',
  space: '',
  comma: ',',
  key: JSON_SYNTAX.key,
  leaf: (value) => PYTHON_WORDS.get(value) ?? JSON.stringify(value),
};

const MAX_LINE_LENGTH = 72;

/** Prints a JSON value as a literal: on one line if it is short, otherwise with one member per line. */
function print(value: unknown, syntax: Syntax, indent = ''): string {
  if (typeof value !== 'object' || value === null) return syntax.leaf(value);
  const inside = indent + syntax.indent;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([name, member]) => {
    const text = print(member, syntax, inside);
    return isList ? text : `${syntax.key(name)}: ${text}`;
  });
  const [open, close] = isList ? '[]' : '{}';
  if (members.length === 0) return `${open}${close}`;
  const space = isList ? '' : syntax.space;
  const line = `${open}${space}${members.join(', ')}${space}${close}`;
  if (line.length + indent.length <= MAX_LINE_LENGTH && !line.includes('\n')) return line;
  return `${open}\n${inside}${members.join(`,\n${inside}`)}${syntax.comma}\n${indent}${close}`;
}

export const printJson = (value: unknown): string => print(value, JSON_SYNTAX);
export const printTypeScript = (value: unknown): string => print(value, TYPESCRIPT);
export const printPython = (value: unknown): string => print(value, PYTHON);
