import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const PAGE = path.join(import.meta.dirname, '../../src/console/page');
const MANTINE = path.join(import.meta.dirname, '../../node_modules/@mantine');
const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8');

/** The components of Mantine that a source imports. */
const componentsIn = (source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from ['"]@mantine\/core['"]/g)].flatMap(
    ([, names = '']) => names.match(/\b[A-Z]\w+/g) ?? [],
  );

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
  const own = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.join(PAGE, file));
  const others = ['modals', 'notifications', 'spotlight'].flatMap((name) => {
    const files = [...closure(path.join(MANTINE, name, 'esm/index.mjs'))];
    expect(files).not.toEqual([]);
    return files;
  });
  const used = new Set([...own, ...others].flatMap((file) => componentsIn(read(file))));
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
