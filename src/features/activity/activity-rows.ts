import { type Sql, sql } from '../../platform/database/database.ts';

/** The columns of an ActivityRecord. */
export const activityColumns: Sql = sql`
  id, organization_id AS "organizationId", position::float8 AS position,
  document_id AS "documentId", feature_type AS "featureType", action_type AS "actionType",
  user_id AS "userId", content, is_immutable AS "isImmutable", created_at AS "createdAt",
  previous_hash AS "previousHash", hash, content_hash AS "contentHash",
  content_salt AS "contentSalt", erased_at AS "erasedAt"`;
