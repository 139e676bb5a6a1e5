import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Services } from '../api/context.ts';
import { HEADERS } from '../api/credentials/headers.ts';
import { signInLink } from '../console/session/one-time-ids.ts';
import { QUICKSTART_FILE, type Quickstart } from '../features/workspaces/quickstart.ts';

/** Prints the credentials of the first start, and a call that works with them. */
export function printFirstStart(quickstart: Quickstart, dataDir: string): void {
  const { url, apiKey, authToken, adminToken } = quickstart;
  process.stdout.write(`
First start: a workspace and an API key are ready (kept in ${dataDir}/${QUICKSTART_FILE}).

  API key      ${apiKey}
  Auth token   ${authToken}
  Admin token  ${adminToken}

Try it:

curl -sS ${url}/v1/users/add -H 'content-type: application/json' -H '${HEADERS.apiKey}: ${apiKey}' -H '${HEADERS.authToken}: ${authToken}' -d '{"data":{"organizationId":"acme","users":[{"userId":"ada","name":"Ada Lovelace"}]}}'

`);
}

/** Prints the addresses of the documentation and the console, and the path of the file with the first key, if it exists. */
export function printAddresses(services: Services, dataDir: string): void {
  const file = path.join(dataDir, QUICKSTART_FILE);
  const key = existsSync(file) ? `\n  API key        ${file}` : '';
  process.stdout.write(
    `\n  Documentation  ${services.config.publicUrl}/docs${key}\n  Console        ${signInLink(services)}\n                 (signs in once, within ten minutes)\n\n`,
  );
}
