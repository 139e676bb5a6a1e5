import { type ArchivedTable, TENANT } from '../../platform/archives/archived-table.ts';
import { join, raw, type Sql, sql } from '../../platform/database/database.ts';
import { invalidArgument } from '../../platform/errors.ts';

/** The settings of a key that callers choose. Credentials, quotas and counters belong to the server. */
const SETTINGS = [
  'allowed_domains',
  'enable_private_comments',
  'require_auto_org_user',
  'default_document_access_type',
  'default_access_role',
  'allow_user_rewrites',
  'comment_access',
  'require_attachment_approval',
];
const settings: Sql = join(SETTINGS.map((name) => raw(name)));

export const archivedKey: ArchivedTable = {
  name: 'api_keys',
  onlyInKeyArchives: true,
  rows: sql`(SELECT id AS tenant_id, ${settings} FROM api_keys) t`,
  columns: SETTINGS,
  write: (records) => sql`
    UPDATE api_keys SET (${settings}) = ROW (${join(SETTINGS.map((name) => raw(`t.${name}`)))})
    FROM ${records} AS t WHERE api_keys.id = ${TENANT} RETURNING 1`,
  /**
   * Refuses a domain that is not text. The query that checks open connections reads the domains of all keys,
   * so one such value would make it fail for every key.
   */
  async finish(_parts, tx, { tenantId }) {
    const [key] = await tx.query<{ domains: unknown[] }>(sql`
      SELECT allowed_domains AS domains FROM api_keys WHERE id = ${tenantId}`);
    if (key?.domains.every((domain) => typeof domain === 'string')) return;
    throw invalidArgument('The archive cannot be imported: a domain of the key is not text.');
  },
};
