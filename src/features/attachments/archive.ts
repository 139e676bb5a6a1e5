import {
  type ArchivedTable,
  namesOrganization,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

/** Attachments that were uploaded and are not deleted. Their files follow the rows. */
export const archivedAttachments: ArchivedTable = {
  name: 'attachments',
  rows: sql`(
    SELECT * FROM attachments
    WHERE tenant_id = ${TENANT} AND completed AND (remove_at IS NULL OR remove_at > now())) t`,
  ofOrganization: namesOrganization,
};
