import { createClient } from 'collaboration-client';
import { createServerClient } from 'collaboration-client/server';

const [url = '', apiKey = '', authToken = ''] = process.argv.slice(2);
const server = createServerClient({ url, apiKey, authToken });
console.log(process.version);
const place = { organizationId: 'acme', documentId: 'plan' };
const { data } = await server.documents.get({ organizationId: 'acme' });
console.log(data.map(({ id }) => id).join());

const resources = [{ type: 'organization', id: 'acme' }];
const ada = { userId: 'ada', permissions: { resources } };
const client = createClient({ url, token: () => server.auth.generateToken(ada) });
const commentData = [{ commentText: 'Here.', from: { userId: 'ada' } }];
const onStart = () => {
  server.commentAnnotations.add({ ...place, commentAnnotations: [{ commentData }] });
};
for await (const { data: change } of client.comments.changes(place, { onStart })) {
  console.log(change.type);
  break;
}
client.close();
