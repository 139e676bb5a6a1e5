import { createHash } from 'node:crypto';
import type { ActivitiesAddInput, MemoryJudgmentsAddInput } from '../../api/contract.ts';
import { rowOf, textOf, timeOf, without } from './hosted-rows.ts';
import type { Row } from './hosted-service.ts';
import type { ImportContext } from './import-context.ts';

/** Imports the log of an organization, and judgments. */

type Activity = ActivitiesAddInput['activities'][number] & { activityId: string };
type Judgment = MemoryJudgmentsAddInput['judgments'][number];

const NONE: ReadonlySet<string> = new Set();

export async function importActivities(
  { to, writer }: ImportContext,
  organizationId: string,
  rows: Row[],
): Promise<void> {
  const activities = rows.flatMap((row) => activityOf(row) ?? []);
  if (activities.length === 0) return;
  const { activityServiceConfig } = await to.activityConfig.get({});
  if (!activityServiceConfig.isEnabled && !writer.isDryRun) {
    writer.tally.leave('activities, since activity logs are disabled', activities.length);
    return;
  }
  await writer.send('activities', activities, {
    idOf: ({ activityId }) => activityId,
    call: (items) => to.activities.add({ organizationId, activities: items }),
  });
}

function activityOf(row: Row): Activity | undefined {
  const activityId = textOf(row.id) ?? textOf(row.activityId);
  if (activityId === undefined) return undefined;
  const activity = {
    activityId,
    documentId: textOf(rowOf(row.metadata)?.documentId),
    featureType: row.featureType,
    actionType: row.actionType,
    actionUser: rowOf(row.actionUser),
    timestamp: timeOf(row.timestamp),
    displayMessageTemplate: textOf(row.displayMessageTemplate),
    displayMessageTemplateData: rowOf(row.displayMessageTemplateData),
    data: rowOf(row.data),
  };
  return without(activity, NONE) as unknown as Activity;
}

const PER_PAGE = 100;

/** Imports the judgments that are not here yet. They have no ids of their own, so they are compared. */
export async function importJudgments({
  from,
  to,
  writer,
  progress,
}: ImportContext): Promise<void> {
  await progress.step('judgments', async () => {
    const known = new Set<string>();
    if (!writer.isDryRun) {
      let pageToken: string | undefined;
      do {
        const page = await to.memory.judgments.query({
          limit: PER_PAGE,
          ...(pageToken !== undefined && { pageToken }),
        });
        for (const judgment of page.data.results)
          known.add(fingerprint(judgmentOf({ ...judgment })));
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
    }
    for await (const { rows } of from.pages('/v2/memory/judgments/query', { limit: PER_PAGE })) {
      const judgments = rows.map(judgmentOf);
      const missing = judgments.filter((judgment) => !known.has(fingerprint(judgment)));
      const existing = judgments.length - missing.length;
      if (existing > 0) {
        writer.tally.add('judgments', 'found', existing);
        writer.tally.add('judgments', 'existing', existing);
      }
      await writer.send('judgments', missing, {
        idOf: fingerprint,
        call: async (items) => {
          await to.memory.judgments.add({ judgments: items });
          return undefined;
        },
      });
    }
  });
}

function judgmentOf(row: Row): Judgment {
  const reviewer = rowOf(row.reviewer);
  const judgment = {
    query: row.query,
    decision: row.decision,
    reasoning: textOf(row.reasoning),
    organizationId: textOf(row.organizationId),
    documentId: textOf(row.documentId),
    reviewer: reviewer && without({ userId: reviewer.userId, name: reviewer.name }, NONE),
    judgeType: row.judgeType === 'agent' ? 'agent' : 'human',
    createdAt: timeOf(row.createdAt),
  };
  return without(judgment, NONE) as unknown as Judgment;
}

const fingerprint = ({
  query,
  decision,
  organizationId,
  documentId,
  reviewer,
  createdAt,
}: Judgment) =>
  createHash('sha256')
    .update(
      JSON.stringify([query, decision, organizationId, documentId, reviewer?.userId, createdAt]),
    )
    .digest('base64url');
