import { sql } from '../../platform/database/database.ts';
import { walkRows } from '../erasure/walk-rows.ts';

/** The hash of the content stays, so that the chain holds; its salt goes with what it was made of. */
export const erasedInActivities = walkRows({
  name: 'activities',
  table: sql`activities t`,
  key: [
    [sql`t.organization_id`, sql`text`],
    [sql`t.position`, sql`bigint`],
  ],
  record: sql`json_build_object('actorId', t.user_id, 'content', t.content)`,
  set: ({ clock }) => sql`user_id = record->>'actorId', content = record->'content',
    content_salt = NULL, erased_at = ${new Date(clock.now())}`,
  // The trigger that refuses every other change asks for it.
  before: sql`SELECT set_config('activities.erasing', 'on', true)`,
});
