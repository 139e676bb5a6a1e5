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

const place = { organizationId, documentId: 'plan' };
const commentData = [{ commentText: 'Shorter?', from: { userId: 'ada' } }];
await client.POST('/v2/commentannotations/add', {
  body: { data: { ...place, commentAnnotations: [{ annotationId: 'title', commentData }] } },
});
const list = await client.POST('/v2/commentannotations/get', { body: { data: place } });
console.log(list.data?.result.data[0]?.annotationId);
const grouped = await client.POST('/v2/commentannotations/get_grouped', {
  body: { data: { organizationId } },
});
console.log(grouped.data?.result.data.plan?.[0]?.comments[0]?.commentText);

const failed = await client.POST('/v2/organizations/documents/get', {
  body: { data: { organizationId: '' } },
});
console.log(failed.error?.error.status);
