import { readFileSync } from 'node:fs';
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

const NOWHERE = /^$/;

/** What only some files may contain. */
const CONTAINED: Array<[what: string, pattern: RegExp, allowed: RegExp]> = [
  ['Prisma, since it only writes migrations', /from '@prisma\//, NOWHERE],
  ['the Hocuspocus server', /from '@hocuspocus\/(?:server|extension)/, /^realtime\//],
  // The examples of the documentation print it.
  ['the environment', /\bprocess\.env\b/, /^config\.ts$|^docs\/reference\//],
  [
    'what tRPC does not document',
    /\b_def\b|unstable-core-do-not-import/,
    /^api\/trpc-internals\.ts$/,
  ],
  [
    'what Hocuspocus does not document',
    /\b(?:debouncer|loadingDocuments|unloadingDocuments|getClients|shouldUnloadDocument|lastMessageReceivedAt|documentConnections|beforeHandleMessage)\b|@hocuspocus\/common/,
    /^realtime\/hocuspocus-internals\.ts$/,
  ],
  ['default exports', /^export default\b/m, NOWHERE],
  [
    // The claims of a user token, stream tickets and what the console issues expire as well.
    'comparisons of the expiry of a grant with the time',
    /expires_at\s*(?:[<>]|IS\b)|(?<!\bclaims\.)\bexpiresAt\s*[<>]|(?<!=)[<>]=?\s*[\w.]*\bexpiresAt\b/,
    /^features\/access\/(?:access|active-grant)\.ts$|^api\/(?:idempotency\/|credentials\/stream-tickets)|^console\/session\//,
  ],
];

it.each(CONTAINED)('source files contain %s only where it may be', (_what, pattern, allowed) => {
  const found = files.filter((file) => !allowed.test(file.path) && pattern.test(file.text));
  expect(found.map(({ path }) => path)).toEqual([]);
});

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

it('dependencies are pinned, and contain one yjs, because two would not recognize each other’s types', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const copies = Object.keys(read('package-lock.json').packages).filter((name) =>
    name.endsWith('node_modules/yjs'),
  );
  expect(copies).toEqual(['node_modules/yjs']);
  const { dependencies, devDependencies, optionalDependencies } = read('package.json');
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
  const isExact = (version: string) => /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version);
  expect(Object.values<string>(all).filter((version) => !isExact(version))).toEqual([]);
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
