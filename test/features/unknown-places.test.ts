import { describe, expect, it } from 'vitest';
import { failureOf, fresh } from '../support/answers.ts';
import { organize } from '../support/directory.ts';
import { eachOperation, headersFor } from '../support/operations.ts';
import { startTestServer } from '../support/server.ts';

/** Every operation that names a place says which part of it does not exist. */

const server = await startTestServer();
await organize(server, 'acme', { documents: ['plan'] });
const activityServiceConfig = { isEnabled: true };
await server.ok('/v2/workspace/activityconfig/update', { activityServiceConfig });

const NO_FAILURE = undefined;

/** Operations that need no such place, or that name the missing resource in it instead. */
const EXCEPTIONS: Record<string, Array<[operation: RegExp, reason: string | undefined]>> = {
  organizationId: [
    [/^(presence|memory)\.|^users\.add$|^organizations\.import$/, NO_FAILURE],
    [/^permissions\.get$/, 'NOT_FOUND'],
    [/^notifications\.explain$/, 'notification_not_found'],
    [/^attachments\.(complete|delete)$/, 'attachment_not_found'],
  ],
  documentId: [
    [/^presence\.|^suggestions\.(accept|reject)$/, NO_FAILURE],
    [/^commentAnnotations\.(get|getGrouped|update|delete)$/, NO_FAILURE],
    [/^commentAnnotations\.(subscribe|unsubscribe|read)$/, 'annotation_not_found'],
    [/^(comments|reactions)\./, 'annotation_not_found'],
    [/^attachments\.(complete|delete)$/, 'attachment_not_found'],
    [/^crdt\.(update|replaceRange|versions\..*)$/, 'NOT_FOUND'],
  ],
  folderId: [[/^folders\.delete$/, NO_FAILURE]],
};

const operationsWith = (field: string) =>
  eachOperation.filter(({ operation }) => field in operation.meta.example.request);

describe.each([
  ['organizationId', {}, 'organization_not_found'],
  ['documentId', { organizationId: 'acme' }, 'document_not_found'],
  ['folderId', { organizationId: 'acme' }, 'folder_not_found'],
])('an unknown %s', (field, place, usual) => {
  it.each(operationsWith(field))('is named by $name', async ({ name, operation }) => {
    const { path, example } = operation.meta;
    const creation = { createOrganization: undefined, createDocument: undefined };
    const data = { ...example.request, ...creation, ...place, [field]: fresh('unknown') };
    const failure = failureOf(await server.call(path, data, headersFor(server, operation)));
    const other = EXCEPTIONS[field]?.find(([names]) => names.test(name));
    expect(failure.reason ?? failure.status).toBe(other ? other[1] : usual);
  });
});
