// Every entry point for browsers, so that the compiler checks their types.
export * as client from 'collaboration-client';
export * as blocknote from 'collaboration-client/blocknote';
export * as editor from 'collaboration-client/editor';
export * as react from 'collaboration-client/react';
export type * from 'collaboration-client/trpc';
