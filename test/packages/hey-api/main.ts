import { client } from './api/client.gen.js';
import type { Document } from './api/index.js';
import {
  commentAnnotationsAdd,
  commentAnnotationsGet,
  commentAnnotationsGetGrouped,
  documentsAdd,
  documentsGet,
} from './api/index.js';

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

const place = { organizationId, documentId: 'plan' };
const commentData = [{ commentText: 'Shorter?', from: { userId: 'ada' } }];
await commentAnnotationsAdd({
  body: { data: { ...place, commentAnnotations: [{ annotationId: 'title', commentData }] } },
});
const list = await commentAnnotationsGet({ body: { data: place } });
console.log(list.data?.result.data[0]?.annotationId);
const grouped = await commentAnnotationsGetGrouped({ body: { data: { organizationId } } });
console.log(grouped.data?.result.data.plan?.[0]?.comments[0]?.commentText);

const failed = await documentsGet({ body: { data: { organizationId: '' } } });
console.log(failed.error?.error.status);
