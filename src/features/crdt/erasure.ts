import { sql } from '../../platform/database/database.ts';
import { walkRows } from '../../platform/erasure/walk-rows.ts';

/**
 * Removes erased users as the last authors of editor contents. The steps below remove them as authors of
 * updates and versions, and as owners of Yjs clients. The present content belongs to the document and
 * stays. All rows are read: an index by user would have to be written with every keystroke.
 */
export const eraseInEditors = walkRows({
  name: 'editors',
  table: sql`crdt_documents t`,
  key: ['organization_id', 'document_id', 'editor_id'],
  columns: { updatedBy: 'updated_by' },
});

const joinedToEditor = {
  joined: sql`JOIN crdt_documents c ON c.tenant_id = t.tenant_id AND c.log_id = t.log_id`,
  joinedKey: sql`c.log_id`,
  inOrganizations: (organizationIds: string[]) =>
    sql`AND c.organization_id = ANY(${organizationIds})`,
};

export const eraseInEditorUpdates = walkRows({
  name: 'editorUpdates',
  table: sql`crdt_updates t`,
  ...joinedToEditor,
  key: ['log_id::uuid', 'first_version::bigint'],
  columns: { authorId: 'user_id' },
});

/**
 * Deletes history with edits by these users, since it may contain text that they have deleted. There are
 * no `columns` to change, so whole rows are deleted.
 */
export const eraseEditorHistory = walkRows({
  name: 'editorHistory',
  table: sql`crdt_history t`,
  ...joinedToEditor,
  key: ['log_id::uuid', 'base_version::bigint'],
  record: sql`to_json(t.authors)`,
});

export const eraseInEditorVersions = walkRows({
  name: 'editorVersions',
  table: sql`crdt_versions t`,
  ...joinedToEditor,
  key: ['log_id::uuid', 'number::int'],
  columns: { authorId: 'created_by', name: 'name' },
});

export const eraseInEditorClients = walkRows({
  name: 'editorClients',
  table: sql`crdt_clients t`,
  ...joinedToEditor,
  key: ['log_id::uuid', 'client_id::bigint'],
  columns: { userId: 'user_id' },
});
