import { sql } from '../../platform/database/database.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/**
 * Erases the last author of editors; the steps below erase authors of updates, versions and clients.
 * The content belongs to the document and stays. All rows are walked, since an index by user would be
 * written with every keystroke.
 */
export const erasedInEditors = walkRows({
  name: 'editors',
  table: sql`crdt_documents t`,
  key: [
    [sql`t.organization_id`, sql`text`],
    [sql`t.document_id`, sql`text`],
    [sql`t.editor_id`, sql`text`],
  ],
  record: sql`json_build_object('updatedBy', t.updated_by)`,
  set: () => sql`updated_by = record->>'updatedBy'`,
});

export const erasedInEditorUpdates = walkRows({
  name: 'editorUpdates',
  table: sql`crdt_updates t`,
  joined: sql`JOIN crdt_documents c ON c.tenant_id = t.tenant_id AND c.log_id = t.log_id`,
  key: [
    [sql`t.log_id`, sql`uuid`],
    [sql`t.first_version`, sql`bigint`],
  ],
  inOrganizations: (organizationIds) => sql`AND c.organization_id = ANY(${organizationIds})`,
  record: sql`json_build_object('authorId', t.user_id)`,
  set: () => sql`user_id = record->>'authorId'`,
});

export const erasedInEditorVersions = walkRows({
  name: 'editorVersions',
  table: sql`crdt_versions t`,
  joined: sql`JOIN crdt_documents c ON c.tenant_id = t.tenant_id AND c.log_id = t.log_id`,
  key: [
    [sql`t.log_id`, sql`uuid`],
    [sql`t.number`, sql`int`],
  ],
  inOrganizations: (organizationIds) => sql`AND c.organization_id = ANY(${organizationIds})`,
  record: sql`json_build_object('authorId', t.created_by, 'name', t.name)`,
  set: () => sql`created_by = record->>'authorId', name = record->>'name'`,
});

export const erasedInEditorClients = walkRows({
  name: 'editorClients',
  table: sql`crdt_clients t`,
  joined: sql`JOIN crdt_documents c ON c.tenant_id = t.tenant_id AND c.log_id = t.log_id`,
  key: [
    [sql`t.log_id`, sql`uuid`],
    [sql`t.client_id`, sql`bigint`],
  ],
  inOrganizations: (organizationIds) => sql`AND c.organization_id = ANY(${organizationIds})`,
  record: sql`json_build_object('userId', t.user_id)`,
  set: () => sql`user_id = record->>'userId'`,
});
