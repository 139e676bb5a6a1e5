import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SOURCE = path.join(import.meta.dirname, '../../src');

export interface SourceFile {
  /** The path below `src`, for example `api/rest.ts`. */
  path: string;
  text: string;
  /** The files below `src` that it imports, including types. */
  imports: string[];
  packages: string[];
}

/** Every file below `src`. */
export const sourceFiles = (): SourceFile[] =>
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => {
      const text = withoutComments(readFileSync(path.join(SOURCE, file), 'utf8'));
      const specifiers = [...text.matchAll(IMPORT)].map((match) => match[1] ?? '');
      const isRelative = (specifier: string) => specifier.startsWith('.');
      return {
        path: file,
        text,
        imports: specifiers
          .filter(isRelative)
          .map((specifier) => path.join(path.dirname(file), specifier)),
        packages: specifiers.filter((specifier) => !isRelative(specifier)),
      };
    });

/** `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
const IMPORT = /(?:\bfrom\s+|(?<!')\bimport\s*\(?\s*)'([^']+)'/g;

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
