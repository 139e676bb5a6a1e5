import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from '../support/source-files.ts';

/** The layers, from the bottom up. A file imports from its own layer and those below. */
const LAYERS: Array<Record<string, RegExp>> = [
  { platform: /^platform\// },
  { config: /^config\.ts$/ },
  { api: /^api\// },
  { features: /^features\// },
  { server: /^server\//, realtime: /^realtime\//, console: /^console\/(?!page\/)/, mcp: /^mcp\// },
  {
    app: /^(?:app\/|docs\/|(?:app|write-client|write-contract|build-console|build-docs)\.ts$)/,
  },
  { main: /^main\.ts$/, client: /^client\// },
  { cli: /^cli\//, 'page of the console': /^console\/page\// },
];

const files = sourceFiles();

function partOf(file: string): { layer: number; part: string } {
  for (const [layer, parts] of LAYERS.entries()) {
    const part = Object.keys(parts).find((name) => parts[name]?.test(file));
    if (part) return { layer, part };
  }
  throw new Error(`src/${file} belongs to no part: give it one in this test.`);
}

function isAllowed(from: string, to: string): boolean {
  const [importer, imported] = [partOf(from), partOf(to)];
  return importer.part === imported.part || importer.layer > imported.layer;
}

/** The files that contain a pattern, other than those that may. */
const whereFound = (pattern: RegExp, allowed: RegExp): string[] =>
  files
    .filter((file) => !allowed.test(file.path) && pattern.test(file.text))
    .map((file) => file.path);

const importersOf = (name: RegExp, allowed: RegExp): string[] =>
  files
    .filter(({ path }) => !allowed.test(path))
    .filter(({ imports, packages }) => [...imports, ...packages].some((text) => name.test(text)))
    .map(({ path }) => path);

const NOWHERE = /^$/;

describe('imports', () => {
  it('go downwards only, including types', () => {
    const upward = files.flatMap(({ path, imports }) =>
      imports.filter((to) => !isAllowed(path, to)).map((to) => `${path} -> ${to}`),
    );
    expect(upward).toEqual([]);
  });

  it('have no cycles, neither of files nor of folders', () => {
    expect(cyclesOf(betweenSiblings(files))).toEqual([]);
  });

  it('of Prisma are nowhere in `src`, since it only writes migrations', () => {
    expect(importersOf(/^@prisma\//, NOWHERE)).toEqual([]);
  });

  it('of the Hocuspocus server are in realtime', () => {
    expect(importersOf(/^@hocuspocus\/(server|extension)/, /^realtime\//)).toEqual([]);
  });
});

describe('what is published', () => {
  const importsOf = (pattern: RegExp) =>
    files.filter(({ path }) => pattern.test(path)).flatMap(({ imports }) => imports);

  it('is the client with the contract and the anchors, and nothing else of the server', () => {
    const others = importsOf(/^client\//).filter((path) => !path.startsWith('client/'));
    expect(new Set(others)).toEqual(
      new Set(['api/contract.ts', 'api/contract-router.ts', 'platform/anchors/anchor.ts']),
    );
    const ofAnchors = importsOf(/^platform\/anchors\//);
    expect(ofAnchors.filter((path) => !path.startsWith('platform/anchors/'))).toEqual([]);
    expect(importsOf(/^api\/contract\.ts$/)).toEqual([]);
    expect(importsOf(/^api\/contract-router\.ts$/)).toEqual(['api/contract.ts']);
  });

  it('needs no package for the contract, and types of tRPC alone for its router', () => {
    const packagesOf = (name: string) => files.find(({ path }) => path === name)?.packages;
    expect(packagesOf('api/contract.ts')).toEqual([]);
    expect(packagesOf('api/contract-router.ts')).toEqual(['@trpc/server']);
  });
});

describe('source files', () => {
  it('read the environment in config.ts only', () => {
    // The examples of the documentation print it.
    const allowed = /^config\.ts$|^docs\/reference\//;
    expect(whereFound(/\bprocess\.env\b/, allowed)).toEqual([]);
  });

  it('use what tRPC does not document in one file', () => {
    const internals = /\b_def\b|unstable-core-do-not-import/;
    expect(whereFound(internals, /^api\/trpc-internals\.ts$/)).toEqual([]);
  });

  it('use what Hocuspocus does not document in one file', () => {
    const internals =
      /\b(?:debouncer|loadingDocuments|unloadingDocuments|getClients|shouldUnloadDocument|lastMessageReceivedAt|documentConnections|beforeHandleMessage)\b|@hocuspocus\/common/;
    expect(whereFound(internals, /^realtime\/hocuspocus-internals\.ts$/)).toEqual([]);
  });

  it('have named exports only', () => {
    expect(whereFound(/^export default\b/m, NOWHERE)).toEqual([]);
  });

  it('compare the expiry of a grant with the time in one statement and one function', () => {
    // The claims of a user token, stream tickets and what the console issues expire as well.
    const comparison =
      /expires_at\s*(?:[<>]|IS\b)|(?<!\bclaims\.)\bexpiresAt\s*[<>]|(?<!=)[<>]=?\s*[\w.]*\bexpiresAt\b/;
    const allowed =
      /^features\/access\/(?:access|active-grant)\.ts$|^api\/(?:idempotency\/|credentials\/stream-tickets)|^console\/session\//;
    expect(whereFound(comparison, allowed)).toEqual([]);
  });
});

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

type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The imports between the files and folders of the same folder: an import of `api/body/parse.ts` by
 * `api/procedures.ts` leads from `api/procedures.ts` to `api/body`.
 */
function betweenSiblings(all: typeof files): Imports {
  const found = new Map<string, Set<string>>();
  for (const { path, imports } of all) {
    for (const to of imports) {
      const [near, far] = [path.split('/'), to.split('/')];
      const depth = near.findIndex((part, index) => part !== far[index]) + 1;
      const from = near.slice(0, depth).join('/');
      found.set(from, (found.get(from) ?? new Set()).add(far.slice(0, depth).join('/')));
    }
  }
  return found;
}

/** Each cycle once, as `a -> b -> a`. */
function cyclesOf(imports: Imports): string[] {
  const finished = new Set<string>();
  const visit = (path: string, trail: string[]): string[] => {
    if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' -> ')];
    if (finished.has(path)) return [];
    const found = [...(imports.get(path) ?? [])].flatMap((next) => visit(next, [...trail, path]));
    finished.add(path);
    return found;
  };
  return [...imports.keys()].flatMap((path) => visit(path, []));
}
