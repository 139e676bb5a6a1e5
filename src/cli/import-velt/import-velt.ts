import { type CollaborationClient, createServerClient } from '../../client/server.ts';
import { progress as print } from '../report.ts';
import { partsOf, textOf } from './hosted-rows.ts';
import { type HostedOptions, HostedService, isMissing, MAX_IDS } from './hosted-service.ts';
import { importAnnotations } from './import-annotations.ts';
import { eachDocuments, fewAtOnce, type ImportContext } from './import-context.ts';
import {
  importDocuments,
  importFolders,
  importOrganizations,
  importUsers,
} from './import-directory.ts';
import { importContents, importRecordings } from './import-documents-data.ts';
import { importActivities, importJudgments } from './import-history.ts';
import { importNotifications, importPreferences } from './import-inbox.ts';
import { importPermissions } from './import-permissions.ts';
import { FileMover } from './move-files.ts';
import { ProgressFile } from './progress-file.ts';
import type { Report } from './tally.ts';
import { Writer } from './writer.ts';

interface ImportOptions {
  from: HostedOptions;
  to: { url: string; apiKey: string; authToken: string };
  isDryRun: boolean;
  progressFile: string;
  /** Non-public networks from which files may be moved. */
  allowedNetworks: string[];
}

/**
 * Imports everything that an API key of the hosted service can read. What is here already stays as it
 * is, so an import may be repeated, and one that was stopped goes on.
 */
export async function importVelt(options: ImportOptions): Promise<Report> {
  const { from, to, isDryRun, progressFile, allowedNetworks } = options;
  const ends = [from.url, from.apiKey, to.url, to.apiKey];
  const progress = new ProgressFile(isDryRun ? undefined : progressFile, ends);
  const client: CollaborationClient = createServerClient(to);
  const files = new FileMover(client, progress.tally, allowedNetworks);
  const writer = new Writer(progress.tally, isDryRun);
  const ctx: ImportContext = {
    from: new HostedService(from),
    to: client,
    writer,
    progress,
    files,
  };
  try {
    for await (const { rows } of ctx.from.pages('/v2/organizations/get', {})) {
      const isNew = (id: string | undefined) => id !== undefined && !progress.hasOrganization(id);
      const open = rows.filter((row) => isNew(textOf(row.organizationId) ?? textOf(row.id)));
      for (const row of open) {
        for (const id of await importOrganizations(ctx, [row])) await importOrganization(ctx, id);
      }
    }
    await importJudgments(ctx);
    await progress.remove();
    return progress.tally.report;
  } finally {
    client.close();
    await files.close();
  }
}

async function importOrganization(ctx: ImportContext, organizationId: string): Promise<void> {
  const { from, progress } = ctx;
  print(`Importing ${organizationId} …`);
  const folderIds: string[] = [];
  await progress.step('directory', async () => {
    folderIds.push(...(await importFolders(ctx, organizationId)));
    await importDirectory(ctx, organizationId, folderIds);
  });
  await eachDocuments(ctx, organizationId, {
    step: 'permissions',
    work: (ids) =>
      fewAtOnce(ids, (id) => importPermissions(ctx, { type: 'document', organizationId, id })),
  });
  const steps = {
    annotations: importAnnotations,
    notifications: importNotifications,
    'notification settings': importDocumentPreferences,
    recordings: importRecordings,
  };
  for (const [step, work] of Object.entries(steps)) {
    await eachDocuments(ctx, organizationId, {
      step,
      work: (documentIds) => work(ctx, organizationId, documentIds),
    });
  }
  const query = { organizationId, order: 'asc' };
  await progress.pages(
    'activities',
    (pageToken) => from.pages('/v2/activities/get', query, pageToken),
    (rows) => importActivities(ctx, organizationId, rows),
  );
  await eachDocuments(ctx, organizationId, {
    step: 'contents',
    work: (documentIds) => importContents(ctx, organizationId, documentIds),
  });
  await progress.finishOrganization(organizationId);
}

/** Users come before documents, whose roles they have. */
async function importDirectory(
  ctx: ImportContext,
  organizationId: string,
  folderIds: string[],
): Promise<void> {
  for await (const { rows } of ctx.from.pages('/v2/users/get', { organizationId })) {
    await importUsers(ctx, organizationId, rows);
    const userIds = rows.flatMap((row) => textOf(row.userId) ?? []);
    await importPreferences(ctx, { organizationId, documentIds: [], userIds });
  }
  await importDocuments(ctx, organizationId, folderIds);
  await importPermissions(ctx, { type: 'organization', organizationId, id: organizationId });
  for (const id of folderIds) await importPermissions(ctx, { type: 'folder', organizationId, id });
}

async function importDocumentPreferences(
  ctx: ImportContext,
  organizationId: string,
  documentIds: string[],
): Promise<void> {
  for await (const { rows } of ctx.from.pages('/v2/users/get', { organizationId })) {
    const userIds = rows.flatMap((row) => textOf(row.userId) ?? []);
    for (const ids of partsOf(documentIds, MAX_IDS)) {
      await preferencesOf(ctx, { organizationId, documentIds: ids, userIds });
    }
  }
}

/** One missing document fails the call for all, so halves are asked for until it is found. */
async function preferencesOf(
  ctx: ImportContext,
  place: { organizationId: string; documentIds: string[]; userIds: string[] },
): Promise<void> {
  const { documentIds } = place;
  try {
    await importPreferences(ctx, place);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const [first] = documentIds;
    if (documentIds.length === 1 && first !== undefined) {
      ctx.writer.tally.refuse(
        'notification settings',
        first,
        'The hosted service cannot read them.',
      );
      return;
    }
    const half = Math.ceil(documentIds.length / 2);
    await preferencesOf(ctx, { ...place, documentIds: documentIds.slice(0, half) });
    await preferencesOf(ctx, { ...place, documentIds: documentIds.slice(half) });
  }
}
