import { tokenHandler } from 'collaboration-client/server';
import { serverClient } from '../../../server-client';

export function POST(request: Request): Promise<Response> {
  const handler = tokenHandler(serverClient(), ({ url }) => {
    // Your app knows from its session who asks. Here, everybody is who they say.
    const userId = new URL(url).searchParams.get('user') ?? '';
    return { userId, permissions: { resources: [{ type: 'organization', id: 'demo' }] } };
  });
  return handler(request);
}
