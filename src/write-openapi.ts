import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from './api/openapi/openapi-document.ts';
import { appRouter, eventTypes } from './features/index.ts';

/**
 * Writes the committed OpenAPI document, which the server serves. It is committed so that reviews
 * show changes of the contract. With `--check` it is only compared.
 */

const file = path.join(import.meta.dirname, 'api/openapi.json');
const { version } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8'),
);
const current = `${JSON.stringify(openApiDocument(appRouter, eventTypes, version), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, current);
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== current) {
  console.error('src/api/openapi.json is out of date. Run: npm run generate:openapi');
  process.exit(1);
}
