import type { Clock } from '../../platform/clock.ts';
import { empty, join, type Sql, sql } from '../../platform/database/database.ts';
import { erasureEvent } from '../../platform/erasure/erasure-event.ts';
import type { ErasureStep } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/** SQL: the name and the email address of the user `asked.user_id` of the enclosing query. */
export const profileNames = (tenantId: string): Sql => sql`
  SELECT unnest(ARRAY[u.name, u.email]) AS name FROM users u
  WHERE u.tenant_id = ${tenantId} AND u.user_id = asked.user_id`;

/** Returns SQL: whether the user `u` has data of one kind in any organization. */
type HasData = (clock: Clock) => Sql;

/**
 * Creates the step that deletes the users, which revokes their tokens. Earlier steps have removed everything
 * that depends on them, so that this step is short. An erasure in some organizations keeps users who have
 * data in another one.
 */
export const eraseUsers = (conditions: readonly HasData[]): ErasureStep => ({
  name: 'users',
  async run({ tenantId, userIds, organizationIds, clock }, tx) {
    const hasNoData = conditions.map((hasData) => sql`AND NOT ${hasData(clock)}`);
    const removed = await tx.query(sql`
      DELETE FROM users u
      WHERE u.tenant_id = ${tenantId} AND u.user_id = ANY(${userIds})
        ${organizationIds ? join(hasNoData, ' ') : empty}
      RETURNING 1`);
    return { counts: { users: removed.length }, next: undefined };
  },
});

/** The most events in one transaction, since each may name many organizations. */
const EVENTS_AT_ONCE = 50;

/** Publishes one event for each user, but none for the user's roles, recordings and other data. */
export const announceErasures: ErasureStep = {
  // This name must not change, since running jobs refer to the step by it.
  name: 'told',
  onlyOnce: true,
  async run({ tenantId, events, people, organizationIds, contents }, tx, after) {
    const begin = Number(after[0] ?? 0);
    const end = begin + EVENTS_AT_ONCE;
    const isLimited = organizationIds !== undefined;
    const erased = people
      .slice(begin, end)
      .map((person) => erasureEvent({ ...person, isLimited, contents }));
    await events.append(tx, tenantId, erased);
    return { counts: {}, next: end < people.length ? [String(end)] : undefined };
  },
};

/** Removes erased users from the metadata of other users. */
export const eraseInUsers: ErasureStep = walkRows({
  name: 'userFields',
  table: sql`users t`,
  key: ['user_id'],
  columns: { metadata: 'metadata::jsonb' },
  // Users belong to the key, so an erasure in some organizations changes none of them.
  inOrganizations: () => sql`AND FALSE`,
});
