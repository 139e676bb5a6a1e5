import 'server-only';
import { type CollaborationClient, createServerClient } from 'collaboration-client/server';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing in .env.local; see the README.`);
  return value;
};

export const serverUrl = (): string => setting('COLLABORATION_URL');

/** Creates a client with the API key, whose credentials stay on the server. */
export const serverClient = (): CollaborationClient =>
  createServerClient({
    url: serverUrl(),
    apiKey: setting('COLLABORATION_API_KEY'),
    authToken: setting('COLLABORATION_AUTH_TOKEN'),
  });
