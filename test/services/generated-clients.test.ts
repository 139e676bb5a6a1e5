import { cp } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createServerClient } from '../../src/client/server.ts';
import { installProject } from '../support/npm-project.ts';
import { startTestServer } from '../support/server.ts';

/** Clients that others' generators make of the OpenAPI document. */

const DOCUMENT = path.join(import.meta.dirname, '../../src/api/openapi.json');
const server = await startTestServer();
const app = createServerClient(server.quickstart);
await app.organizations.add({ organizations: [{ organizationId: 'acme' }] });

it.each(['openapi-fetch', 'hey-api'])(
  '%s: a client is typed strictly, and works',
  async (name) => {
    const project = await installProject(`test/packages/${name}`);
    await cp(DOCUMENT, path.join(project.folder, 'openapi.json'));
    await project.run('npm', 'run', 'generate');
    await project.run('tsc');
    const { apiKey, authToken } = server.quickstart;
    const printed = await project.run('node', 'dist/main.js', server.url, apiKey, authToken);
    expect(printed.trim().split('\n')).toEqual(['Plan', 'title', 'Shorter?', 'INVALID_ARGUMENT']);
  },
  180_000,
);
