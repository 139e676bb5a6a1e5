import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { toAppError } from '../api/responses/failures.ts';
import { mapInChunks } from '../platform/chunks.ts';
import { textOf } from './document-text.ts';
import { commentOf, summaryOf } from './present-thread.ts';
import { DOCUMENT_URI, type McpResource, parseUri, THREAD_URI } from './resource-uris.ts';
import type { AgentCall } from './tool.ts';
import { findThread } from './tools/threads.ts';

/** The most characters of a resource. Unlike the text of read_document, a resource is not split into pages. */
const MAX_CHARS = 100_000;

/** Offers documents and threads as resources. Clients find the ids of resources with tools. */
export function registerResources(server: McpServer, call: AgentCall): void {
  const template = (uri: string) => new ResourceTemplate(uri, { list: undefined });
  const read = (uri: URL) => readResource(call, uri.href);
  server.registerResource(
    'document',
    template(DOCUMENT_URI),
    {
      title: 'Document',
      description: 'The text of all editors of a document. Rich text is converted to Markdown.',
      mimeType: 'text/markdown',
    },
    read,
  );
  server.registerResource(
    'thread',
    template(THREAD_URI),
    {
      title: 'Thread',
      description: 'A thread with all its comments.',
      mimeType: 'application/json',
    },
    read,
  );
}

/** Reads a resource. A resource that the user may not read is reported as missing. */
async function readResource(call: AgentCall, uri: string): Promise<ReadResourceResult> {
  const resource = parseUri(uri);
  if (!resource) throw new ResourceNotFoundError(uri);
  try {
    return { contents: [{ uri, ...(await contentOf(call, resource)) }] };
  } catch (error) {
    const { status, message, credentialsReason } = toAppError(error);
    const isMissing = /^(PERMISSION_DENIED|NOT_FOUND|INVALID_ARGUMENT)$/.test(status);
    if (isMissing && !credentialsReason) throw new ResourceNotFoundError(uri);
    throw new ProtocolError(ProtocolErrorCode.InternalError, message, { status });
  }
}

async function contentOf({ operations }: AgentCall, { annotationId, ...document }: McpResource) {
  if (annotationId !== undefined) {
    const annotation = await findThread(operations, { ...document, annotationId });
    const thread = { ...summaryOf(annotation), comments: annotation.comments.map(commentOf) };
    return { mimeType: 'application/json', text: JSON.stringify(thread) };
  }
  const editors = await operations.crdt.get(document);
  let remainingChars = MAX_CHARS;
  // Converting an editor may take a tenth of a second. `mapInChunks` lets other work run in between.
  const texts = await mapInChunks(editors, (editor) => {
    if (remainingChars <= 0) return [];
    const { text } = textOf(editor, 'markdown');
    remainingChars -= text.length;
    return [text];
  });
  const text = texts.flat().join('\n\n').slice(0, MAX_CHARS).toWellFormed();
  return { mimeType: 'text/markdown', text };
}
