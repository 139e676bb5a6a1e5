import { createHash } from 'node:crypto';
import type { ActivitiesAddInput, MemoryJudgmentsAddInput } from '../../api/contract.ts';
import { pagesOf } from '../../client/pages.ts';
import { dropEmpty, rowOf, textOf, timeOf } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { ImportContext, OrganizationImport } from './import-context.ts';

// Imports the activity log of an organization, and the judgments of the key.

type Activity = ActivitiesAddInput['activities'][number] & { activityId: string };
type Judgment = MemoryJudgmentsAddInput['judgments'][number];

export async function importActivities(
  { to, writer, organizationId }: OrganizationImport,
  rows: Row[],
): Promise<void> {
  const converted = writer.convert('activities', rows, activityOf, 'The activity has no id.');
  if (converted.length === 0) return;
  const { activityServiceConfig } = await to.activityConfig.get({});
  if (!activityServiceConfig.isEnabled && !writer.isDryRun) {
    writer.addLeftOut('activities (activity logs are disabled on this server)', converted.length);
    return;
  }
  await writer.send('activities', converted, 'activityId', (activities) =>
    to.activities.add({ organizationId, activities }),
  );
}

function activityOf(row: Row): Activity | undefined {
  const activityId = textOf(row.id) ?? textOf(row.activityId);
  if (activityId === undefined) return undefined;
  return dropEmpty<Activity>({
    activityId,
    documentId: textOf(rowOf(row.metadata)?.documentId),
    featureType: row.featureType,
    actionType: row.actionType,
    actionUser: rowOf(row.actionUser),
    timestamp: timeOf(row.timestamp),
    displayMessageTemplate: textOf(row.displayMessageTemplate),
    displayMessageTemplateData: rowOf(row.displayMessageTemplateData),
    data: rowOf(row.data),
  });
}

const PER_PAGE = 100;

/** Imports the judgments that this server does not have yet. Judgments have no ids, so their contents are compared. */
export async function importJudgments(ctx: ImportContext): Promise<void> {
  const { from, to, writer } = ctx;
  const existing = new Set<string>();
  const pages = pagesOf((pageToken) => to.memory.judgments.query({ limit: PER_PAGE, pageToken }));
  if (!writer.isDryRun) {
    for await (const { data } of pages) {
      for (const judgment of data.results) existing.add(fingerprint(judgmentOf({ ...judgment })));
    }
  }
  for await (const { rows } of from.pages('/v2/memory/judgments/query', { limit: PER_PAGE })) {
    const missing = rows.map(judgmentOf).filter((judgment) => !existing.has(fingerprint(judgment)));
    const existingCount = rows.length - missing.length;
    if (existingCount > 0) {
      writer.count('judgments', 'found', existingCount);
      writer.count('judgments', 'existing', existingCount);
    }
    await writer.send('judgments', missing, fingerprint, (judgments) =>
      to.memory.judgments.add({ judgments }),
    );
  }
}

function judgmentOf(row: Row): Judgment {
  const reviewer = rowOf(row.reviewer);
  return dropEmpty<Judgment>({
    query: row.query,
    decision: row.decision,
    reasoning: textOf(row.reasoning),
    organizationId: textOf(row.organizationId),
    documentId: textOf(row.documentId),
    reviewer: reviewer && dropEmpty({ userId: reviewer.userId, name: reviewer.name }),
    judgeType: row.judgeType === 'agent' ? 'agent' : 'human',
    createdAt: timeOf(row.createdAt),
  });
}

function fingerprint({ query, decision, reviewer, createdAt, ...source }: Judgment): string {
  const { organizationId, documentId } = source;
  const facts = [query, decision, organizationId, documentId, reviewer?.userId, createdAt];
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
}
