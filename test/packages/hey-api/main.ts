import { client } from './api/client.gen.js';
import type { Document } from './api/index.js';
import { documentsAdd, documentsGet } from './api/index.js';

const [baseUrl = '', apiKey = '', authToken = ''] = process.argv.slice(2);
client.setConfig({
  baseUrl,
  headers: { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken },
});

const organizationId = 'acme';
await documentsAdd({
  body: { data: { organizationId, documents: [{ documentId: 'plan', documentName: 'Plan' }] } },
});
const read = await documentsGet({ body: { data: { organizationId } } });
const documents: Document[] = read.data?.result.data ?? [];
console.log(documents.map(({ documentName }) => documentName).join());

const failed = await documentsGet({ body: { data: { organizationId: '' } } });
console.log(failed.error?.error.status);
