import path from 'node:path';
import {
  isCallExpression,
  isPropertyAccessExpression,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync';

/** The type of a column as the JavaScript value that the driver returns. */
export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'Date' | 'Buffer' | 'array' | 'json';

/** The columns that a statement is declared to return, with the kinds of each. */
export type DeclaredRow = Record<string, Kind[]>;

/** The declared rows by the position of the call: `src/features/…/file.ts:42`. */
export type DeclaredRows = Record<string, DeclaredRow>;

const PROJECT = path.join(import.meta.dirname, '../../..');
const RUNS_STATEMENTS = new Set(['query', 'write']);

/** Reads the declared row of each `query<Row>()` from the source with the compiler. */
export function readDeclaredRows(): DeclaredRows {
  const api = new API({ cwd: PROJECT });
  try {
    const config = path.join(import.meta.dirname, 'tsconfig.json');
    const snapshot = api.updateSnapshot({ openProjects: [config] });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error('The compiler found no project.');
    const { program, checker } = project;
    const found: DeclaredRows = {};
    for (const name of program.getSourceFileNames()) {
      const file = path.relative(PROJECT, name);
      if (!file.startsWith('src/') || file.includes('/platform/database/')) continue;
      const source = program.getSourceFile(name);
      if (source) Object.assign(found, rowsIn(source, file, checker));
    }
    return found;
  } finally {
    api.close();
  }
}

function rowsIn(source: SourceFile, file: string, checker: Checker): DeclaredRows {
  const found: DeclaredRows = {};
  const visit = (node: Node): void => {
    const row = rowOf(node, checker);
    if (row && isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      found[`${file}:${lineOf(source, node.expression.name.getStart())}`] = row;
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

const lineOf = (source: SourceFile, position: number): number =>
  source.text.slice(0, position).split('\n').length;

/** The row of a call that returns `Promise<Row[]>`; undefined if no column is declared. */
function rowOf(node: Node, checker: Checker): DeclaredRow | undefined {
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return undefined;
  if (!RUNS_STATEMENTS.has(node.expression.name.text)) return undefined;
  const signature = checker.getResolvedSignature(node);
  const returned = signature && checker.getReturnTypeOfSignature(signature);
  const rows = returned && argumentOf(returned, 'Promise', checker);
  const row = rows && argumentOf(rows, 'Array', checker);
  if (!row) return undefined;
  const columns: DeclaredRow = {};
  for (const part of partsOf(row)) {
    for (const property of checker.getPropertiesOfType(part)) {
      const type = checker.getTypeOfSymbol(property);
      const kinds = type ? kindsOf(type, checker) : [];
      columns[property.name] = [...new Set([...(columns[property.name] ?? []), ...kinds])];
    }
  }
  return Object.keys(columns).length > 0 ? columns : undefined;
}

const partsOf = (type: Type): readonly Type[] => (type.isUnionType() ? type.getTypes() : [type]);

function argumentOf(type: Type, generic: string, checker: Checker): Type | undefined {
  if (type.getSymbol()?.name !== generic || !type.isTypeReference()) return undefined;
  return checker.getTypeArguments(type)[0];
}

const kindsOf = (type: Type, checker: Checker): Kind[] => [
  ...new Set(partsOf(type).flatMap((part) => kindOf(part, checker))),
];

function kindOf(type: Type, checker: Checker): Kind[] {
  const { flags } = type;
  if (flags & TypeFlags.StringLike) return ['string'];
  if (flags & TypeFlags.NumberLike) return ['number'];
  if (flags & TypeFlags.BooleanLike) return ['boolean'];
  if (flags & TypeFlags.Null) return ['null'];
  if (flags & TypeFlags.Undefined) return [];
  if (flags & (TypeFlags.Any | TypeFlags.Unknown)) return ['json', 'null'];
  if (checker.isArrayType(type)) return ['array', 'json'];
  const name = type.getSymbol()?.name;
  if (name === 'Date') return ['Date'];
  return name === 'Buffer' || name === 'Uint8Array' ? ['Buffer'] : ['json'];
}
