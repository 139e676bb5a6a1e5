import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes the npm package of the client to `dist/client`, and packs it into
 * `dist/collaboration-client-<version>.tgz`: `npm run client:build`. An argument names another
 * folder to use in place of `dist`.
 */

const ROOT = path.join(import.meta.dirname, '..');
const DIST = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist'));
const PACKAGE = path.join(DIST, 'client');
const { version, license, dependencies, devDependencies } = JSON.parse(
  readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
);
const ENTRIES = {
  '.': 'index',
  './server': 'server',
  './webhooks': 'webhooks',
  './editor': 'editor',
  './anchors': 'anchors',
  './core': 'core',
  './react': 'react',
  './vue': 'vue',
  './svelte': 'svelte',
  './blocknote': 'blocknote',
  './trpc': 'trpc',
};

const entry = (file: string) => ({
  types: `./esm/client/${file}.d.ts`,
  default: `./esm/client/${file}.js`,
});

const peerDependencies = {
  '@blocknote/core': '>=0.51.0 <1.0.0',
  '@hocuspocus/provider': `^${devDependencies['@hocuspocus/provider']}`,
  react: '^18.2.0 || ^19.0.0',
  svelte: '^5.0.0',
  vue: '^3.4.0',
  yjs: `^${dependencies.yjs}`,
};

const manifest = {
  name: 'collaboration-client',
  version,
  description: 'Comments, notifications, presence and live documents of a collaboration backend',
  license,
  type: 'module',
  sideEffects: ['*.css'],
  engines: { node: '>=22' },
  files: ['esm', 'styles.css', 'styles.d.ts'],
  exports: {
    ...Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, entry(file)])),
    './react/styles.css': { types: './styles.d.ts', default: './styles.css' },
    './package.json': './package.json',
  },
  dependencies: {
    '@tanstack/query-core': devDependencies['@tanstack/query-core'],
    '@trpc/client': dependencies['@trpc/client'],
    '@trpc/server': dependencies['@trpc/server'],
  },
  peerDependencies,
  peerDependenciesMeta: Object.fromEntries(
    Object.keys(peerDependencies).map((name) => [name, { optional: true }]),
  ),
};

rmSync(PACKAGE, { recursive: true, force: true });
mkdirSync(PACKAGE, { recursive: true });
execFileSync('tsc', ['-p', path.join(ROOT, 'src/client'), '--outDir', path.join(PACKAGE, 'esm')], {
  stdio: 'inherit',
});
writeFileSync(path.join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(path.join(ROOT, 'src/client/react/styles.css'), path.join(PACKAGE, 'styles.css'));
// TypeScript only lets code import a style sheet that has a declaration.
writeFileSync(path.join(PACKAGE, 'styles.d.ts'), 'export {};\n');
cpSync(path.join(ROOT, 'LICENSE'), path.join(PACKAGE, 'LICENSE'));
cpSync(path.join(ROOT, 'docs/client.md'), path.join(PACKAGE, 'README.md'));
execFileSync('npm', ['pack', '--silent', '--pack-destination', DIST], {
  cwd: PACKAGE,
  stdio: 'inherit',
});
