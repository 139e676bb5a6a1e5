import type { KeyContext } from '../../api/context.ts';
import { among, pageOf, readPageToken, writePageToken } from '../../api/paging.ts';
import { empty, sql } from '../../platform/database/database.ts';
import { requireDocuments } from '../access/named-documents.ts';
import { requireReadableOrganization } from '../directory/organizations/organizations.ts';
import { type ActivityRecord, activityColumns, presentActivity } from './record.ts';
import type { GetActivitiesInput } from './schema.ts';

/** Returns a page of an organization's activities, by default newest first. */
export async function getActivities(ctx: KeyContext, input: GetActivitiesInput) {
  const { pageSize, pageToken, ...filters } = input;
  const query = { operation: 'activities.get', tenantId: ctx.tenantId, filters };
  const [after] = readPageToken(ctx.secrets, query, pageToken) ?? [];
  const found = await selectActivities(ctx, input, after);
  if (found.length === 0) {
    await requireReadableOrganization(ctx.db, ctx.tenantId, input.organizationId);
    // Records outlive their document, so a missing document is an error only if it has no records.
    const documentIds = input.documentId === undefined ? [] : [input.documentId];
    await requireDocuments(ctx.db, { ...input, tenantId: ctx.tenantId }, documentIds);
  }
  const { rows, nextPageToken } = pageOf(found, pageSize, (last) =>
    writePageToken(ctx.secrets, query, [String(last.position)]),
  );
  return { data: rows.map((row) => presentActivity(ctx.tenantId, row)), nextPageToken };
}

/** Reads one row more than the page, to know whether another page follows. */
function selectActivities(ctx: KeyContext, input: GetActivitiesInput, after: string | undefined) {
  const { organizationId, documentId, featureTypes, actionTypes, userId, order } = input;
  const isAscending = order === 'asc';
  const ofDocument = documentId === undefined ? empty : sql`AND document_id = ${documentId}`;
  const byUser = userId === undefined ? empty : sql`AND user_id = ${userId}`;
  const beyond = isAscending
    ? sql`AND position > ${after}::bigint`
    : sql`AND position < ${after}::bigint`;
  const direction = isAscending ? sql`ASC` : sql`DESC`;
  return ctx.db.query<ActivityRecord>(sql`
    SELECT ${activityColumns} FROM activities
    WHERE tenant_id = ${ctx.tenantId} AND organization_id = ${organizationId}
      ${ofDocument} ${byUser} ${among(sql`feature_type`, featureTypes)}
      ${among(sql`action_type`, actionTypes)} ${after === undefined ? empty : beyond}
    ORDER BY activities.position ${direction} LIMIT ${input.pageSize + 1}`);
}
