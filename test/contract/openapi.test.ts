import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FEATURE_DESCRIPTIONS } from '../../src/features/descriptions.ts';
import { appRouter, eventTypes } from '../../src/features/index.ts';
import { STATUSES, type Status } from '../../src/platform/errors.ts';
import { describeContract } from '../../src/server/contract/describe-contract.ts';
import { printContractJson } from '../../src/server/contract/print-json.ts';
import { openApiDocument } from '../../src/server/openapi/openapi-document.ts';
import type { Operation } from '../../src/server/rest.ts';
import {
  type ApiDocument,
  DocumentSchemas,
  referencesOf,
  resolveReference,
} from '../support/api-document.ts';
import { inOrder, preparedExample } from '../support/example-world.ts';
import { eachOperation, operations } from '../support/operations.ts';
import { testServer } from '../support/server.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const described = { eventTypes, features: FEATURE_DESCRIPTIONS, version };
const contract = describeContract(appRouter, eventTypes);
const document = openApiDocument(contract, described) as ApiDocument;
const schemas = new DocumentSchemas(document);

/** The statuses that a response of the document can have. */
function documentedStatuses(operation: Operation, http: number): string[] {
  const reference = document.paths[operation.meta.path]?.post?.responses[http]?.$ref ?? '';
  const response = resolveReference(document, reference) as
    | { content: { 'application/json': { examples: object } } }
    | undefined;
  return Object.keys(response?.content['application/json'].examples ?? {});
}

describe('the OpenAPI document', () => {
  // `npm run generate:check` compares it with the committed one.
  it('is not too long for those who read it with a model', () => {
    expect(printContractJson(document).length).toBeLessThan(560_000);
  });

  it('has operation ids, names and examples that tools accept', () => {
    const items = [...Object.values(document.paths), ...Object.values(document.webhooks)];
    const requests = items.flatMap((item) => Object.values(item));
    const ids = requests.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(requests.filter(({ description, summary }) => !(description ?? summary))).toEqual([]);
    for (const { post } of Object.values(document.webhooks)) expect(post?.security).toEqual([]);
    const used = new Set(referencesOf([document.paths, document.webhooks, document.components]));
    const unused = Object.keys(document.components.schemas ?? {}).filter(
      (name) => !used.has(`#/components/schemas/${name}`),
    );
    expect(unused).toEqual([]);
  });

  it('contains each operation of the router once, and nothing else', () => {
    const documented = Object.entries(document.paths).map(([path, item]) => {
      expect(Object.keys(item)).toEqual(['post']);
      return [path, item.post?.operationId];
    });
    expect(documented).toEqual(operations.map(({ name, meta }) => [meta.path, name]));
  });

  it('contains every schema that it refers to', () => {
    for (const reference of new Set(referencesOf(document))) {
      expect(resolveReference(document, reference), reference).toBeDefined();
    }
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { post } of Object.values(document.paths)) {
      for (const tag of post?.tags ?? []) expect(tags).toContain(tag);
      for (const scheme of (post?.security ?? []).flatMap(Object.keys)) {
        expect(document.components.securitySchemes).toHaveProperty(scheme);
      }
    }
  });

  it('has failures that match the schema of failures', () => {
    for (const [name, response] of Object.entries(document.components.responses ?? {})) {
      const { examples } = (response as { content: Record<string, { examples: object }> }).content[
        'application/json'
      ] ?? { examples: {} };
      for (const example of Object.values(examples)) {
        expect(schemas.problemsOfAnswer('', 400, example.value), name).toEqual([]);
      }
    }
  });
});

it.each(eachOperation)(
  '$name in the document has examples that match its schemas, its credentials, and every failure that it can return',
  ({ operation }) => {
    const { meta, procedure } = operation;
    const documented = document.paths[meta.path]?.post;
    expect(documented?.summary).not.toBe('');
    expect(documented?.requestBody.required).toBe(true);
    expect(schemas.problemsOfRequest(meta.path, {})).not.toEqual([]);
    const request = documented?.requestBody.content['application/json'].example;
    const [content] = Object.values(documented?.responses['200']?.content ?? {});
    const response = content?.example;
    expect(request).toHaveProperty('data');
    expect(schemas.problemsOfRequest(meta.path, request)).toEqual([]);
    expect(schemas.problemsOfAnswer(meta.path, 200, response)).toEqual([]);

    // All headers of a level together.
    const level = {
      admin: { adminToken: [] },
      workspace: { workspaceId: [], workspaceAuthToken: [] },
      apiKey: { apiKey: [], authToken: [] },
    }[meta.level];
    const users = { userToken: [] };
    const alternatives = meta.userToken ? [level, users] : [level];
    expect(documented?.security).toEqual(meta.userToken === 'only' ? [users] : alternatives);
    const takesIdempotencyKey = procedure._def.type === 'mutation' && meta.level !== 'admin';
    expect(documented?.parameters.map(({ $ref }) => $ref)).toEqual([
      ...(takesIdempotencyKey ? ['#/components/parameters/IdempotencyKey'] : []),
      '#/components/parameters/RequestId',
    ]);

    const common: Status[] = ['INVALID_ARGUMENT', 'PERMISSION_DENIED', 'INTERNAL', 'UNAVAILABLE'];
    common.push('DEADLINE_EXCEEDED');
    if (procedure._def.type === 'mutation') common.push('ABORTED');
    if (meta.level === 'apiKey') common.push('RESOURCE_EXHAUSTED');
    for (const status of [...common, ...meta.errors]) {
      expect(documentedStatuses(operation, STATUSES[status].http)).toContain(status);
    }
    for (const http of [405, 413, 415]) {
      expect(documentedStatuses(operation, http)).toEqual(['INVALID_ARGUMENT']);
    }
  },
);

// These calls are one story: each example presupposes what earlier ones made.
describe('the real answers', { shuffle: false }, () => {
  const server = testServer();

  it.each(inOrder(operations.map(({ name }) => name)))(
    '%s answers its example as documented',
    async (name) => {
      const { path, request, headers } = await preparedExample(server, name);
      const { status, body } = await server.call(path, request, headers);
      expect(body).not.toHaveProperty('error');
      expect(schemas.problemsOfAnswer(path, status, body)).toEqual([]);
    },
  );

  it('match the schema of failures when they are one', async () => {
    for (const headers of [{}, server.keyHeaders]) {
      const { status, body } = await server.call('/v2/users/get', {}, headers);
      expect(body).toHaveProperty('error');
      expect(schemas.problemsOfAnswer('', status, body)).toEqual([]);
    }
  });
});
