import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

/** Three shared chunks: the first page, the charts, and code that several other pages use. */
const CHUNKS = [
  { name: 'first', tags: ['$initial' as const], priority: 2 },
  { name: 'draw-chart', test: /uplot|draw-chart/, priority: 1 },
  { name: 'shared', minShareCount: 2 },
];

await buildConsole();

/** Writes the console's page to `dist/console`: `npm run build:console`. This needs development packages. */
async function buildConsole(): Promise<void> {
  const vite = await import('vite').catch(() => undefined);
  if (!vite) {
    process.stderr.write(
      'Building the console needs development packages: run `npm ci` with them, or copy dist/console from an installation that has them.\n',
    );
    process.exitCode = 1;
    return;
  }
  const { default: react } = await import('@vitejs/plugin-react');
  await vite.build({
    root: path.join(ROOT, 'src/console/page'),
    base: '/console/',
    configFile: false,
    cacheDir: path.join(ROOT, 'node_modules/.cache/vite'),
    logLevel: 'warn',
    plugins: [react()],
    // The server replaces this text with the nonce of each response.
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: path.join(ROOT, 'dist/console'),
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy only allows scripts and fonts in files of their own.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1000,
      // Few large files need fewer requests than many small ones, and compress better.
      rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}
