import { createServerClient } from '../../client/server.ts';
import { createOutboundAgent } from '../../platform/outbound/agent.ts';
import { progress } from '../command.ts';
import type { KeyTarget } from '../target.ts';
import { bisectFailures } from './bisect-failures.ts';
import { chunksOf, idOf, textOf } from './hosted-rows.ts';
import { HostedService, isMissing, MAX_IDS, type Row } from './hosted-service.ts';
import { importAnnotations } from './import-annotations.ts';
import { importContents, importRecordings } from './import-contents.ts';
import { forEachConcurrently, type OrganizationImport } from './import-context.ts';
import { addOrganization, importDocuments, importFolders } from './import-directory.ts';
import { importActivities, importJudgments } from './import-history.ts';
import { importNotifications, importPreferences } from './import-inbox.ts';
import { importMembers, importPermissions } from './import-permissions.ts';
import type { Report } from './report.ts';
import { Writer } from './writer.ts';

interface ImportOptions {
  from: KeyTarget;
  to: KeyTarget;
  isDryRun: boolean;
  /** Non-public networks from which files may be moved. */
  allowedNetworks: string[];
}

/**
 * Imports everything that an API key of the hosted service can read. Existing resources stay as they
 * are, so an import may be repeated, even after it was stopped.
 */
export async function importVelt(options: ImportOptions): Promise<Report> {
  const { from, to, isDryRun, allowedNetworks } = options;
  const client = createServerClient(to);
  const writer = new Writer(isDryRun);
  const agent = createOutboundAgent(allowedNetworks);
  const ctx = { from: new HostedService(from), to: client, writer, agent };
  try {
    for await (const { rows } of ctx.from.pages('/v2/organizations/get', {})) {
      for (const row of rows) {
        const organizationId = idOf(row, 'organizationId');
        if (organizationId !== undefined) await importOrganization({ ...ctx, organizationId }, row);
      }
    }
    await importJudgments(ctx);
    return writer.report;
  } finally {
    client.close();
    await agent.close();
  }
}

async function importOrganization(ctx: OrganizationImport, row: Row): Promise<void> {
  const { from, organizationId } = ctx;
  await addOrganization(ctx, row);
  progress(`Importing ${organizationId} …`);
  await importDirectory(ctx);
  const documents = from.pages('/v2/organizations/documents/get', { organizationId });
  for await (const { rows } of documents) {
    const ids = rows.flatMap((document) => idOf(document, 'documentId') ?? []);
    await forEachConcurrently(ids, (id) => importPermissions(ctx, { type: 'document', id }));
    await importAnnotations(ctx, ids);
    await importNotifications(ctx, ids);
    await importDocumentPreferences(ctx, ids);
    await importRecordings(ctx, ids);
    await importContents(ctx, ids);
  }
  const query = { organizationId, order: 'asc' };
  for await (const { rows } of from.pages('/v2/activities/get', query)) {
    await importActivities(ctx, rows);
  }
}

/** Imports users before documents, since the permissions of documents name users. */
async function importDirectory(ctx: OrganizationImport): Promise<void> {
  const { from, organizationId } = ctx;
  const folderIds = await importFolders(ctx);
  for await (const { rows } of from.pages('/v2/users/get', { organizationId })) {
    await importMembers(ctx, rows);
    await importPreferences(ctx, userIdsOf(rows));
  }
  await importDocuments(ctx, folderIds);
  for (const id of folderIds) await importPermissions(ctx, { type: 'folder', id });
}

const userIdsOf = (rows: Row[]): string[] => rows.flatMap((row) => textOf(row.userId) ?? []);

/** Imports the users' settings for documents, and leaves out missing documents, each of which would make a call fail. */
async function importDocumentPreferences(
  ctx: OrganizationImport,
  documentIds: string[],
): Promise<void> {
  const { from, writer, organizationId } = ctx;
  const onFault = (id: string) =>
    writer.addRefusal(
      'notification settings',
      id,
      'The hosted service cannot read the notification settings of this document.',
    );
  for await (const { rows } of from.pages('/v2/users/get', { organizationId })) {
    for (const ids of chunksOf(documentIds, MAX_IDS)) {
      const work = (some: string[]) => importPreferences(ctx, userIdsOf(rows), some);
      await bisectFailures(ids, { work, isFault: isMissing, onFault });
    }
  }
}
