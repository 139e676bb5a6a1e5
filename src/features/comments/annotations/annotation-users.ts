import { sql, type Transaction } from '../../../platform/database/database.ts';
import type { CommentRow, FullAnnotation, SubscriptionRow } from '../annotation-row.ts';
import { mentionedUsersIn } from './build-comments.ts';

/** A change to a user's subscription to an annotation, and whether the annotation mentions the user. */
export interface SubscriptionChange extends SubscriptionRow {
  /** Whether the user asked for the subscription, which then replaces the old one. */
  explicit: boolean;
  mentioned: boolean;
}

/** Returns changes that subscribe authors and mentioned users, unless they have unsubscribed. */
export function autoSubscriptionsOf(comments: CommentRow[]): SubscriptionChange[] {
  const auto = { subscription: 'auto', explicit: false } as const;
  const subscriptions = new Map<string, SubscriptionChange>();
  for (const { from } of comments) {
    subscriptions.set(from.userId, { user: from, mentioned: false, ...auto });
  }
  for (const user of mentionedUsersIn(comments)) {
    subscriptions.set(user.userId, { user, mentioned: true, ...auto });
  }
  return [...subscriptions.values()];
}

/** Returns the annotation's subscriptions after the changes, as `saveSubscriptions` stores them. */
export function mergeSubscriptions(
  before: SubscriptionRow[],
  changes: SubscriptionChange[],
): SubscriptionRow[] {
  const subscriptions = new Map(before.map((row) => [row.user.userId, row]));
  for (const { user, subscription, explicit } of changes) {
    const old = subscriptions.get(user.userId);
    subscriptions.set(user.userId, {
      // If a change names the user by id alone, the known fields stay.
      user: { ...old?.user, ...user },
      subscription: explicit ? subscription : (old?.subscription ?? subscription),
    });
  }
  return [...subscriptions.values()];
}

/**
 * Writes subscriptions and mentions with one statement, at the end of the transaction. Either all
 * changes must be explicit, or none.
 */
export function saveSubscriptions(
  tx: Transaction,
  tenantId: string,
  annotations: Array<{ annotation: FullAnnotation; changes: SubscriptionChange[] }>,
): void {
  const rows = annotations.flatMap(({ annotation, changes }) =>
    changes.map((change) => ({
      annotation_id: annotation.annotationId,
      organization_id: annotation.organizationId,
      last_updated: annotation.lastUpdated,
      user_id: change.user.userId,
      user: change.user,
      subscription: change.subscription,
      mentioned: change.mentioned,
    })),
  );
  if (rows.length === 0) return;
  const isExplicit = annotations.every(({ changes }) => changes.every(({ explicit }) => explicit));
  const statement = sql`
    INSERT INTO annotation_users (tenant_id, annotation_id, user_id, organization_id, "user",
      subscription, mentioned, last_updated)
    SELECT ${tenantId}, annotation_id, user_id, organization_id, "user", subscription, mentioned,
           last_updated
    FROM jsonb_populate_recordset(NULL::annotation_users, ${JSON.stringify(rows)}::jsonb)
    ORDER BY annotation_id, user_id
    ON CONFLICT (tenant_id, annotation_id, user_id) DO UPDATE SET
      "user" = annotation_users."user" || excluded."user",
      subscription = CASE WHEN ${isExplicit} THEN excluded.subscription
                     ELSE COALESCE(annotation_users.subscription, excluded.subscription) END,
      mentioned = annotation_users.mentioned OR excluded.mentioned,
      last_updated = excluded.last_updated`;
  tx.beforeCommit(statement);
}

/**
 * At the end of the transaction, clears mentions that are in no comment any more. The others get the
 * annotation's `lastUpdated`, because lists of mentions are sorted by it.
 */
export function saveMentions(tx: Transaction, tenantId: string, annotation: FullAnnotation): void {
  const mentioned = mentionedUsersIn(annotation.comments).map((user) => user.userId);
  tx.beforeCommit(sql`
    UPDATE annotation_users
    SET mentioned = user_id = ANY(${mentioned}), last_updated = ${annotation.lastUpdated}::bigint
    WHERE tenant_id = ${tenantId} AND annotation_id = ${annotation.annotationId} AND mentioned`);
}

/**
 * Ends the subscriptions of deleted users in all organizations, with one statement for all keys.
 * Otherwise a reply would notify the users, and thereby create them again. This is not unsubscribing:
 * when a user returns and writes again, the user is subscribed again.
 */
export async function endSubscriptionsOfDeletedUsers(
  tx: Transaction,
  deleted: Array<{ tenantId: string; userId: string }>,
): Promise<void> {
  if (deleted.length === 0) return;
  await tx.query(sql`
    UPDATE annotation_users u /* all tenants, background */ SET subscription = NULL
    FROM unnest(${deleted.map((one) => one.tenantId)}::text[],
                ${deleted.map((one) => one.userId)}::text[])
      AS gone(tenant_id, user_id)
    WHERE u.tenant_id = gone.tenant_id AND u.user_id = gone.user_id
      AND u.subscription IN ('auto', 'manual')
      AND NOT EXISTS (
        SELECT 1 FROM users known
        WHERE known.tenant_id = gone.tenant_id AND known.user_id = gone.user_id)`);
}
