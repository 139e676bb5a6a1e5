import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const PAGE = path.join(import.meta.dirname, '../../src/console/page');
const MANTINE = path.join(import.meta.dirname, '../../node_modules/@mantine');
const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8');

/** The components that the page imports. */
function imported(): Set<string> {
  const files = readdirSync(PAGE, { recursive: true }).filter((file) =>
    /\.tsx?$/.test(String(file)),
  );
  const clauses = files.flatMap((file) => [
    ...read(PAGE, String(file)).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g),
  ]);
  return new Set(clauses.flatMap(([, names = '']) => names.match(/\b[A-Z]\w+/g) ?? []));
}

/** The modules that a module of Mantine imports, itself included. */
function closure(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file) || !existsSync(file)) return found;
  found.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+)"/g)) {
    closure(path.join(path.dirname(file), name), found);
  }
  return found;
}

it('the styles of all components that the page shows are loaded', () => {
  const core = path.join(MANTINE, 'core/esm/components');
  const spotlight = path.join(MANTINE, 'spotlight/esm');
  const others = ['modals', 'notifications', 'spotlight'].flatMap((name) =>
    [...closure(path.join(MANTINE, name, 'esm/index.mjs'))].flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from "@mantine\/core"/g),
    ]),
  );
  expect(existsSync(spotlight)).toBe(true);
  const used = new Set([
    ...imported(),
    ...others.flatMap(([, names = '']) => names.match(/\b[A-Z]\w+/g) ?? []),
  ]);
  const modules = [...used].flatMap((name) => [...closure(path.join(core, name, `${name}.mjs`))]);
  const needed = new Set(modules.map((file) => path.basename(file, '.mjs')));
  const styled = readdirSync(path.join(MANTINE, 'core/styles'))
    .filter((file) => !file.endsWith('.layer.css'))
    .map((file) => path.basename(file, '.css'));
  const loaded = read(PAGE, 'app/component-styles.ts');
  const missing = styled.filter(
    (name) => needed.has(name) && !loaded.includes(`/styles/${name}.css'`),
  );
  expect(missing).toEqual([]);
});
