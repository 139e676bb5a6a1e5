import { tokenHandler } from 'collaboration-client/server';
import { serverClient } from '../../../server-client';

export function POST(request: Request): Promise<Response> {
  const handler = tokenHandler(serverClient(), ({ url }) => {
    // In your app, take the user from the session. This example trusts the name in the URL.
    const userId = new URL(url).searchParams.get('user') ?? '';
    return { userId, permissions: { resources: [{ type: 'organization', id: 'demo' }] } };
  });
  return handler(request);
}
