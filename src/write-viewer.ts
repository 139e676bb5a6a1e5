import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { VIEWER_FILE } from './api/docs/viewer.ts';

/**
 * Writes the committed viewer of the API page: the script of `@scalar/api-reference`, compressed.
 * The package itself is needed for this only. With its dependencies it takes 280 MB.
 */

const entry = fileURLToPath(import.meta.resolve('@scalar/api-reference'));
const script = readFileSync(path.join(entry, '../browser/standalone.js'));
writeFileSync(VIEWER_FILE, gzipSync(script, { level: 9 }));
