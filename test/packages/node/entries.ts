// Every entry point for Node.js, so that the compiler checks their types.
export * as client from 'collaboration-client';
export * as server from 'collaboration-client/server';
export type * from 'collaboration-client/trpc';
export * as webhooks from 'collaboration-client/webhooks';
