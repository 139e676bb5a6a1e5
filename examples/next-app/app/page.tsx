import { serverClient, serverUrl } from '../server-client';
import { Comments } from './comments';

/** A page that is rendered on the server, with data that the server reads with its API key. */
export default async function Page({ searchParams }: { searchParams: Promise<{ user?: string }> }) {
  const { user = 'ada' } = await searchParams;
  const place = { organizationId: 'demo', documentId: 'welcome' };
  const client = serverClient();
  const [documents, contents] = await Promise.all([
    client.documents.get({ organizationId: 'demo', documentIds: ['welcome'] }),
    client.crdt.get({ ...place, editorId: 'body' }),
  ]);
  return (
    <main>
      <section>
        <h1>{documents.data[0]?.documentName}</h1>
        <p>{String(contents[0]?.data ?? '')}</p>
      </section>
      <Comments url={serverUrl()} userId={user} />
    </main>
  );
}
