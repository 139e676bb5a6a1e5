import { tokenHandler } from 'collaboration-client/server';
import { serverClient } from '../../../server-client';

export function POST(request: Request): Promise<Response> {
  const handler = tokenHandler(serverClient(), ({ url }) => {
    // Your app takes the user from its session. Here, everybody is the user whom they name.
    const userId = new URL(url).searchParams.get('user') ?? '';
    return { userId, permissions: { resources: [{ type: 'organization', id: 'demo' }] } };
  });
  return handler(request);
}
