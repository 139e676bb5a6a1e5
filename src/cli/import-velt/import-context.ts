import { Readable } from 'node:stream';
import type { CollaborationClient } from '../../client/server.ts';
import { textOf } from './hosted-rows.ts';
import { type HostedService, isMissing, type Row } from './hosted-service.ts';
import type { DocumentRef, FileMover } from './move-files.ts';
import type { Kind } from './report.ts';
import type { Writer } from './writer.ts';

/** The parts that the steps of an import share. */
export interface ImportContext {
  from: HostedService;
  to: CollaborationClient;
  writer: Writer;
  files: FileMover;
}

/** The parts that the steps for one organization share. */
export interface OrganizationImport extends ImportContext {
  organizationId: string;
}

export const documentIdOf = (row: Row): string | undefined =>
  textOf(row.documentId) ?? textOf(row.id);

export const organizationIdOf = (row: Row): string | undefined =>
  textOf(row.organizationId) ?? textOf(row.id);

/** Runs work for all items, a few at a time. After a failure it begins no other item, and rejects. */
export const fewAtOnce = <Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => Readable.from(items).forEach(work, { concurrency: 4 });

/** Runs work for documents. Those that the service cannot read are recorded and skipped. */
export async function forEachReadable(
  { writer, organizationId }: OrganizationImport,
  kind: Kind,
  documentIds: string[],
  work: (place: DocumentRef) => Promise<void>,
): Promise<void> {
  await fewAtOnce(documentIds, async (documentId) => {
    try {
      await work({ organizationId, documentId });
    } catch (error) {
      if (!isMissing(error)) throw error;
      writer.addRefusal(kind, documentId, 'The hosted service cannot read them.');
    }
  });
}
