import {
  type ArchivedTable,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

/** Editors, without the times of their events: an import publishes no events for them. */
export const archivedEditors: ArchivedTable = {
  name: 'crdt_documents',
  omitted: ['event_at', 'event_due_at'],
};

/** Returns the archived table of this name, whose rows belong to editors. */
export const ofEditors = (name: string): ArchivedTable => ({
  name,
  ofOrganization: sql`EXISTS (
    SELECT FROM crdt_documents editor
    WHERE editor.tenant_id = ${TENANT} AND editor.log_id = t.log_id
      AND editor.organization_id = ${ORGANIZATION})`,
});
