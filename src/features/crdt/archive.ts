import {
  type ArchivedTable,
  namesOrganization,
  ORGANIZATION,
  TENANT,
} from '../../platform/archives/archived-table.ts';
import { sql } from '../../platform/database/database.ts';

/** SQL for whether the editor of the row `t` is in the archived organization. */
const editorInOrganization = sql`EXISTS (
  SELECT FROM crdt_documents editor
  WHERE editor.tenant_id = ${TENANT} AND editor.log_id = t.log_id
    AND editor.organization_id = ${ORGANIZATION})`;

/** An import publishes no events of editors, so the times of their events are not archived. */
export const archivedEditors: ArchivedTable = {
  name: 'crdt_documents',
  ofOrganization: namesOrganization,
  omitted: ['event_at', 'event_due_at'],
};

export const archivedUpdates: ArchivedTable = {
  name: 'crdt_updates',
  ofOrganization: editorInOrganization,
};
export const archivedVersions: ArchivedTable = {
  name: 'crdt_versions',
  ofOrganization: editorInOrganization,
};
export const archivedClients: ArchivedTable = {
  name: 'crdt_clients',
  ofOrganization: editorInOrganization,
};

export const archivedTombstones: ArchivedTable = {
  name: 'crdt_tombstones',
  ofOrganization: namesOrganization,
};
