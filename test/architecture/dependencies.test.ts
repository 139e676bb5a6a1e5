import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (file: string) =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8'));
const { packages } = read('package-lock.json') as { packages: Record<string, object> };
const { dependencies, devDependencies, optionalDependencies } = read('package.json');

describe('dependencies', () => {
  it('contain one yjs, because two copies would not recognize each other’s types', () => {
    const copies = Object.keys(packages).filter((name) => name.endsWith('node_modules/yjs'));
    expect(copies).toEqual(['node_modules/yjs']);
  });

  it('are pinned to exact versions', () => {
    const versions = Object.values<string>({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))).toEqual([]);
  });
});
