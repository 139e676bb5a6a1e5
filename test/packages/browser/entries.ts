// Every entry point for browsers, so that the compiler checks their types.
import 'collaboration-client/react/styles.css';

export * as client from 'collaboration-client';
export * as anchors from 'collaboration-client/anchors';
export * as blocknote from 'collaboration-client/blocknote';
export * as core from 'collaboration-client/core';
export * as editor from 'collaboration-client/editor';
export * as react from 'collaboration-client/react';
export type * from 'collaboration-client/trpc';
