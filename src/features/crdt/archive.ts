import {
  type ArchivedTable,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

/** An import publishes no events of editors, so the times of their events are not archived. */
export const archivedEditors: ArchivedTable = {
  name: 'crdt_documents',
  omitted: ['event_at', 'event_due_at'],
};

/** A table whose rows belong to an editor. */
export const ofEditors = (name: string): ArchivedTable => ({
  name,
  ofOrganization: sql`EXISTS (
    SELECT FROM crdt_documents editor
    WHERE editor.tenant_id = ${TENANT} AND editor.log_id = t.log_id
      AND editor.organization_id = ${ORGANIZATION})`,
});
