import { sql } from '../../platform/database/database.ts';
import type { Quote } from '../../platform/erasure/quotes.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';
import { reindexJudgments } from './judgments/reindex-judgments.ts';

/**
 * Keeps judgments as precedents, with an anonymous reviewer. Words that were erased from their
 * texts leave the vocabulary as well.
 */
export const erasedInJudgments = walkRows({
  name: 'judgments',
  table: sql`memory_judgments t`,
  key: ['record_id'],
  record: sql`json_build_object('reviewer',
    json_build_object('userId', t.reviewer_id, 'name', t.reviewer_name),
    'query', t.query, 'reasoning', t.reasoning)`,
  set: () => sql`reviewer_id = record->'reviewer'->>'userId',
    reviewer_name = record->'reviewer'->>'name', query = record->>'query',
    reasoning = record->>'reasoning'`,
  after: ({ tenantId }, tx, changed) =>
    reindexJudgments(
      tx,
      tenantId,
      changed.map(({ key: [recordId = ''] }) => recordId),
    ),
});

/**
 * Anonymises alerts: their texts, who dismissed them, and subjects, which may hold a reviewer id.
 */
export const erasedInAlerts = walkRows({
  name: 'alerts',
  table: sql`memory_alerts t`,
  key: ['alert_id'],
  inOrganizations: (organizationIds) =>
    sql`AND t.evidence->>'organizationId' = ANY(${organizationIds})`,
  record: sql`json_build_object('title', t.title,
    'description', t.description, 'suggestedAction', t.suggested_action,
    'evidence', t.evidence, 'dismissedBy', t.dismissed_by)`,
  set: () => sql`subject = md5(t.subject), title = record->>'title',
    description = record->>'description', suggested_action = record->>'suggestedAction',
    evidence = (record->'evidence')::jsonb,
    dismissed_by = NULLIF((record->'dismissedBy')::jsonb, 'null'::jsonb)`,
});

/** The event of an alert quotes the judged items. */
export const quotedAlert: Quote = {
  eventType: 'memory.alert',
  field: 'description',
  isStale: (data) => sql`NOT EXISTS (
    SELECT 1 FROM memory_alerts a WHERE a.tenant_id = t.tenant_id AND a.alert_id = ${data}->>'id')`,
};
