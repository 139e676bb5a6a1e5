import type { KeyContext } from '../../api/context.ts';
import { join, type Queryable, sql, type Transaction } from '../../platform/database/database.ts';
import {
  type Contents,
  type ErasedPerson,
  MAX_KNOWN,
  newAlias,
  type PeopleQueries,
} from '../../platform/erasure/people.ts';
import type { ErasureStep } from '../../platform/erasure/step.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { placeNotFound } from '../access/places.ts';
import { endTokens } from '../users/end-tokens.ts';
import { eraseUsersJob } from './erase-users-job.ts';
import type { DeleteUserDataInput } from './schema.ts';

/** The steps and queries of an erasure that features register. */
export interface RegisteredErasure {
  steps: readonly ErasureStep[];
  queries: PeopleQueries;
}

interface StartedErasure {
  jobId: string;
  tasksCount: number;
}

/**
 * Starts a job that erases users. While the job runs, an equal request returns the same job. Unknown
 * users are also erased, since other data may name them.
 *
 * @throws INVALID_ARGUMENT (organization_not_found)
 */
export function requestErasure(
  ctx: KeyContext,
  { steps, queries }: RegisteredErasure,
  input: DeleteUserDataInput,
): Promise<StartedErasure> {
  const userIds = [...new Set(input.userIds)].sort();
  const organizationIds = [...new Set(input.organizationIds)].sort();
  const { contents } = input;
  // The hash leaves out `keep`, so that it equals the hash that older versions stored for running jobs.
  const hashed = [userIds, organizationIds, ...(contents === 'keep' ? [] : [contents])];
  const requestHash = sha256(JSON.stringify(hashed)).toString('base64url');
  return ctx.db.transaction(async (tx) => {
    await requireOrganizations(ctx, tx, organizationIds);
    const people = await loadErasedPeople(tx, queries, ctx.tenantId, { userIds, organizationIds });
    const tasks = planErasure(steps, contents);
    const request = { people, organizationIds, contents, requestHash, tasks };
    for (;;) {
      const started = await startErasure(ctx, tx, request);
      // The tokens are revoked now, because the job may start later.
      if (started && organizationIds.length === 0) await endTokens(tx, ctx.tenantId, userIds);
      // If a running job has ended between these two statements, the loop starts a new one.
      const found = started ?? (await findRunningErasure(tx, ctx.tenantId, requestHash));
      if (found) return found;
    }
  });
}

/** Refuses unknown organizations, since an erasure in a misspelt organization would report success. */
async function requireOrganizations(ctx: KeyContext, tx: Transaction, organizationIds: string[]) {
  const [unknown] = await tx.query(sql`
    SELECT 1 FROM unnest(${organizationIds}::text[]) AS asked(id)
    WHERE NOT EXISTS (
      SELECT 1 FROM organizations
      WHERE tenant_id = ${ctx.tenantId} AND organization_id = asked.id)
    LIMIT 1`);
  if (unknown) throw placeNotFound('organization');
}

/** Loads the users' names, and the organizations on whose channels the erasure is published. */
async function loadErasedPeople(
  db: Queryable,
  queries: PeopleQueries,
  tenantId: string,
  { userIds, organizationIds }: { userIds: string[]; organizationIds: string[] },
): Promise<ErasedPerson[]> {
  const names = queries.names.map((select) => select(tenantId));
  const organizations = queries.organizations.map((select) => select(tenantId));
  const people = await db.query<Omit<ErasedPerson, 'alias'>>(sql`
    SELECT asked.user_id AS "userId",
      ARRAY(SELECT DISTINCT name FROM (${join(names, ' UNION ALL ')}) AS known
            WHERE name <> '') AS names,
      ARRAY(${join(organizations, ' UNION ')} LIMIT ${MAX_KNOWN}) AS "organizationIds"
    FROM unnest(${userIds}::text[]) AS asked(user_id)`);
  return people.map((person) => ({
    ...person,
    alias: newAlias(),
    ...(organizationIds.length > 0 && { organizationIds }),
  }));
}

interface ErasureRequest {
  people: ErasedPerson[];
  organizationIds: string[];
  contents: Contents;
  requestHash: string;
  tasks: string[];
}

async function startErasure(
  ctx: KeyContext,
  tx: Transaction,
  { people, organizationIds, contents, requestHash, tasks }: ErasureRequest,
): Promise<StartedErasure | undefined> {
  const { tenantId } = ctx;
  const jobId = newId();
  const created = await tx.query(sql`
    INSERT INTO erasures (tenant_id, job_id, people, request_hash, organization_ids, contents,
      tasks_count, tasks_left)
    VALUES (${tenantId}, ${jobId}, ${JSON.stringify(people)}::jsonb, ${requestHash},
      ${organizationIds}, ${contents}, ${tasks.length}, ${tasks})
    ON CONFLICT (tenant_id, request_hash) DO NOTHING RETURNING 1`);
  if (created.length === 0) return undefined;
  await ctx.jobs.add(tx, eraseUsersJob, [{ tenantId, jobId }]);
  return { jobId, tasksCount: tasks.length };
}

async function findRunningErasure(
  db: Queryable,
  tenantId: string,
  requestHash: string,
): Promise<StartedErasure | undefined> {
  const [found] = await db.query<StartedErasure>(sql`
    SELECT job_id AS "jobId", tasks_count AS "tasksCount" FROM erasures
    WHERE tenant_id = ${tenantId} AND request_hash = ${requestHash}`);
  return found;
}

/** Returns the names of all steps in order, and then again those that are repeated for newer data. */
function planErasure(steps: readonly ErasureStep[], contents: Contents): string[] {
  const planned = steps.filter(
    ({ onlyWhenRemovingContents }) => !onlyWhenRemovingContents || contents === 'remove',
  );
  const repeated = planned.filter(({ onlyOnce }) => !onlyOnce);
  return [...planned, ...repeated].map(({ name }) => name);
}
