import type { CollaborationClient } from '../../client/server.ts';
import { textOf } from './hosted-rows.ts';
import type { HostedService, Row } from './hosted-service.ts';
import type { FileMover } from './move-files.ts';
import type { ProgressFile } from './progress-file.ts';
import type { Writer } from './writer.ts';

/** The parts that the steps of an import share. */
export interface ImportContext {
  from: HostedService;
  to: CollaborationClient;
  writer: Writer;
  progress: ProgressFile;
  files: FileMover;
}

/** Runs a step for the documents of an organization, a page of them at a time. */
export async function eachDocuments(
  { from, progress }: ImportContext,
  organizationId: string,
  { step, work }: { step: string; work: (documentIds: string[]) => Promise<void> },
): Promise<void> {
  const path = '/v2/organizations/documents/get';
  await progress.pages(
    step,
    (pageToken) => from.pages(path, { organizationId }, pageToken),
    (rows) => work(idsOf(rows)),
  );
}

const idsOf = (documents: Row[]): string[] => documents.flatMap((row) => documentIdOf(row) ?? []);

export const documentIdOf = (row: Row): string | undefined =>
  textOf(row.documentId) ?? textOf(row.id);

const AT_ONCE = 4;

/** Runs work for all items, a few at a time. After a failure it begins no other, and rejects with it. */
export async function fewAtOnce<Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const failures: unknown[] = [];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error: unknown) => {
        failures.push(error);
        rest.length = 0;
      });
    }
  });
  await Promise.all(workers);
  if (failures.length > 0) throw failures[0];
}
