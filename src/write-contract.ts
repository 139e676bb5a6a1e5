import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FEATURE_DESCRIPTIONS } from './features/descriptions.ts';
import { appRouter, eventTypes } from './features/index.ts';
import { asyncApiDocument } from './server/asyncapi/asyncapi-document.ts';
import { describeContract } from './server/contract/describe-contract.ts';
import { printContract } from './server/contract/print-contract.ts';
import { printContractJson } from './server/contract/print-json.ts';
import { openApiDocument } from './server/openapi/openapi-document.ts';

/**
 * Writes the OpenAPI and AsyncAPI documents, which the server serves, and the types of the client
 * package. They are committed, so that reviews show changes to the contract. With `--check`, only
 * compares the files.
 */

const { version } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../package.json'), 'utf8'),
);
const contract = describeContract(appRouter, eventTypes);
const openApi = openApiDocument(contract, {
  eventTypes,
  features: FEATURE_DESCRIPTIONS,
  version,
});

const asyncApi = asyncApiDocument(contract, eventTypes, version);

const files = {
  'api/openapi.json': `${printContractJson(openApi)}\n`,
  'api/asyncapi.json': `${printContractJson(asyncApi)}\n`,
  'api/contract.ts': printContract(contract),
};

for (const [name, current] of Object.entries(files)) {
  const file = path.join(import.meta.dirname, name);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, current);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== current) {
    console.error(`src/${name} is out of date. Run: npm run generate:contract`);
    process.exitCode = 1;
  }
}
