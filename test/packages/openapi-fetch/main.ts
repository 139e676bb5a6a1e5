import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const [baseUrl = '', apiKey = '', authToken = ''] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl,
  headers: { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken },
});

const organizationId = 'acme';
await client.POST('/v2/organizations/documents/add', {
  body: { data: { organizationId, documents: [{ documentId: 'plan', documentName: 'Plan' }] } },
});
const read = await client.POST('/v2/organizations/documents/get', {
  body: { data: { organizationId } },
});
const documents: Array<components['schemas']['Document']> = read.data?.result.data ?? [];
console.log(documents.map(({ documentName }) => documentName).join());

const failed = await client.POST('/v2/organizations/documents/get', {
  body: { data: { organizationId: '' } },
});
console.log(failed.error?.error.status);
