import { sql } from '../../platform/database/database.ts';
import { hasStaleQuote, type Quote, withoutQuotes } from '../../platform/erasure/quotes.ts';
import type { Erasure, ErasureStep } from '../../platform/erasure/step.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/** SQL: assignments that replace the content and delete its salt. The hash stays, so that the chain stays valid. */
const eraseContent = ({ clock }: Erasure) => sql`content = record->'content',
  content_salt = NULL, erased_at = ${new Date(clock.now())}`;

const activities = {
  table: sql`activities t`,
  key: ['organization_id', 'position::bigint'],
  // The trigger that refuses all other changes requires this setting.
  before: sql`SELECT set_config('activities.erasing', 'on', true)`,
};

export const eraseInActivities = walkRows({
  ...activities,
  name: 'activities',
  record: sql`json_build_object('actorId', t.user_id, 'content', t.content)`,
  set: (erasure) => sql`user_id = record->>'actorId', ${eraseContent(erasure)}`,
});

/** Removes quotes from the records, just as they are removed from the recorded events. */
export const eraseQuotesInActivities = (quotes: readonly Quote[]): ErasureStep =>
  walkRows({
    ...activities,
    name: 'activityQuotes',
    onlyWhenRemovingContents: true,
    record: sql`json_build_object('content', t.content)`,
    set: eraseContent,
    condition: () => hasStaleQuote(quotes, sql`t.action_type`, sql`(t.content->'data')`),
    rewrite: (record) => {
      const { content } = record as { content: { data: object } };
      return { content: { ...content, data: withoutQuotes(quotes, content.data) } };
    },
  });
