import { type Sql, sql } from '../../platform/database/database.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { isStaleQuote, withoutQuote } from '../events/stale-quotes.ts';

const key: Array<[Sql, Sql]> = [
  [sql`t.organization_id`, sql`text`],
  [sql`t.position`, sql`bigint`],
];
// The trigger that refuses every other change asks for it.
const before = sql`SELECT set_config('activities.erasing', 'on', true)`;

/** The hash of the content stays, so that the chain holds; its salt goes with what it was made of. */
export const erasedInActivities = walkRows({
  name: 'activities',
  table: sql`activities t`,
  key,
  record: sql`json_build_object('actorId', t.user_id, 'content', t.content)`,
  set: ({ clock }) => sql`user_id = record->>'actorId', content = record->'content',
    content_salt = NULL, erased_at = ${new Date(clock.now())}`,
  before,
});

/** Where what users wrote goes too: what the records quote as the events did that they are of. */
export const quotedInActivities = walkRows({
  name: 'activityQuotes',
  onlyRemoving: true,
  table: sql`activities t`,
  key,
  record: sql`json_build_object('content', t.content)`,
  set: ({ clock }) => sql`content = record->'content',
    content_salt = NULL, erased_at = ${new Date(clock.now())}`,
  finds: () => isStaleQuote(sql`t.action_type`, sql`(t.content->'data')`),
  rewrite: (record) => {
    const { content } = record as { content: { data: object } };
    return { content: { ...content, data: withoutQuote(content.data) } };
  },
  before,
});
