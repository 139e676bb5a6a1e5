import { HEADERS } from '../../api/credentials/headers.ts';
import type { Security } from './api-document.ts';

/** The header of each security scheme, and the environment variable that examples take it from. */
const CREDENTIALS: Record<string, [header: string, variable: string]> = {
  apiKey: [HEADERS.apiKey, 'API_KEY'],
  authToken: [HEADERS.authToken, 'AUTH_TOKEN'],
  workspaceId: [HEADERS.workspaceId, 'WORKSPACE_ID'],
  workspaceAuthToken: [HEADERS.workspaceAuthToken, 'WORKSPACE_AUTH_TOKEN'],
  adminToken: [HEADERS.adminToken, 'ADMIN_TOKEN'],
  userToken: ['authorization', 'USER_TOKEN'],
};

/** The headers of an operation's first kind of credentials, with the variables that hold them. */
export const headersOf = ([schemes = {}]: Security): Record<string, string> =>
  Object.fromEntries(Object.keys(schemes).flatMap((scheme) => [CREDENTIALS[scheme] ?? []]));

interface Syntax {
  indent: string;
  key(name: string): string;
  string(text: string): string;
  word(value: boolean | null): string;
}

const TYPESCRIPT: Syntax = {
  indent: '  ',
  key: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : TYPESCRIPT.string(name)),
  string: (text) => (text.includes("'") ? JSON.stringify(text) : `'${inner(text)}'`),
  word: String,
};

const PYTHON: Syntax = {
  indent: '    ',
  key: (name) => JSON.stringify(name),
  string: (text) => JSON.stringify(text),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
};

const JSON_SYNTAX: Syntax = { ...PYTHON, indent: '  ', word: String };

/** The inside of a JSON string, in single quotes. */
const inner = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');

export const printTypeScript = (value: unknown, indent = ''): string =>
  print(value, TYPESCRIPT, indent);

export const printPython = (value: unknown): string => print(value, PYTHON, '');

export const printJsonValue = (value: unknown): string => print(value, JSON_SYNTAX, '');

const WIDTH = 72;

/** Prints a JSON value as a literal: on one line if it is short, otherwise one member a line. */
function print(value: unknown, syntax: Syntax, indent: string): string {
  if (typeof value === 'string') return syntax.string(value);
  if (typeof value === 'boolean' || value === null) return syntax.word(value);
  if (typeof value !== 'object') return String(value);
  const inside = indent + syntax.indent;
  const isList = Array.isArray(value);
  const members = Object.entries(value as object).map(([name, member]) => {
    const text = print(member, syntax, inside);
    return isList ? text : `${syntax.key(name)}: ${text}`;
  });
  if (members.length === 0) return isList ? '[]' : '{}';
  const space = isList || syntax === PYTHON ? '' : ' ';
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const line = `${open}${space}${members.join(', ')}${space}${close}`;
  if (line.length + indent.length <= WIDTH && !line.includes('\n')) return line;
  const lines = members.map((member) => `\n${inside}${member}`).join(',');
  return `${open}${lines}${syntax === JSON_SYNTAX ? '' : ','}\n${indent}${close}`;
}
