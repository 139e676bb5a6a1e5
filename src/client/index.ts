export type * from '../api/contract.ts';
export type { CommentAnnotation as Annotation } from '../api/contract.ts';
export type { CallOptions, Operations, StreamOptions, WriteOptions } from './client-type.ts';
export type { Connection, ConnectionStatus } from './connection.ts';
export { type ClientOptions, type CollaborationClient, createClient } from './create-client.ts';
export { CollaborationError } from './error.ts';
export type { Token } from './token-source.ts';
