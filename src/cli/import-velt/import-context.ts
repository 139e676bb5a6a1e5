import { Readable } from 'node:stream';
import type { Agent } from 'undici';
import type { CollaborationClient } from '../../client/server.ts';
import { type HostedService, isMissing } from './hosted-service.ts';
import type { Kind } from './report.ts';
import type { Writer } from './writer.ts';

/** The parts that the steps of an import share. */
export interface ImportContext {
  from: HostedService;
  to: CollaborationClient;
  writer: Writer;
  /** Sends requests to public addresses, and to the networks from which files may be moved. */
  agent: Agent;
}

/** The parts that the steps for one organization share. */
export interface OrganizationImport extends ImportContext {
  organizationId: string;
}

export interface DocumentRef {
  organizationId: string;
  documentId: string;
}

/** Runs work for all items, a few at a time. After a failure, it starts no further item, and rejects. */
export const forEachConcurrently = <Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => Readable.from(items).forEach(work, { concurrency: 4 });

/** Runs work for documents. Those that the service cannot read are recorded and skipped. */
export async function forEachReadable(
  { writer, organizationId }: OrganizationImport,
  kind: Kind,
  documentIds: string[],
  work: (documentRef: DocumentRef) => Promise<void>,
): Promise<void> {
  await forEachConcurrently(documentIds, async (documentId) => {
    try {
      await work({ organizationId, documentId });
    } catch (error) {
      if (!isMissing(error)) throw error;
      writer.addRefusal(
        kind,
        documentId,
        `The hosted service cannot read the ${kind} of this document.`,
      );
    }
  });
}
