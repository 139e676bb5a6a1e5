import type { GetPromptResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { id } from '../api/fields.ts';
import type { DocumentRef } from '../features/access/places.ts';

const DocumentInput = z.object({ organizationId: id, documentId: id });

const asUser = (text: string): GetPromptResult => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
});

/** Names a document in a prompt. The ids are quoted as JSON, since a person may paste any text as an id. */
const nameDocument = ({ organizationId, documentId }: DocumentRef): string =>
  `the document ${JSON.stringify(documentId)} of the organization ${JSON.stringify(organizationId)}`;

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'review_document',
    {
      title: 'Review this document against our decisions',
      description:
        'Compares a document with earlier decisions, and comments where it departs from them.',
      argsSchema: DocumentInput,
    },
    (document) =>
      asUser(
        `Review ${nameDocument(document)}. Read it with read_document and its open threads with list_threads. For each claim or clause that somebody has to decide on, ask memory_suggest. Where the text departs from what earlier decisions suggest with a confidence of 0.7 or more, and no open thread says so, open a thread at the words in question: say what was decided before and why. Where a few other words would settle it, use suggest_edit instead. Change nothing else, and end with a summary of what you found.`,
      ),
  );
  server.registerPrompt(
    'summarise_threads',
    {
      title: 'Summarise open threads',
      description:
        'What is open in a document, who is waiting for whom, and what is left to decide.',
      argsSchema: DocumentInput,
    },
    (document) =>
      asUser(
        `Summarise the open threads of ${nameDocument(document)}. Read all pages of list_threads, and read_thread where a first comment is not enough. Group the threads by subject. For each thread, give the question, the positions and who holds them, who has to answer, and the annotationId. Do not change the document.`,
      ),
  );
}
