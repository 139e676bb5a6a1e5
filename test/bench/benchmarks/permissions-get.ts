import type { Comparison } from '../harness/benchmark.ts';
import { TENANT } from '../harness/credentials.ts';

const USERS = 20_000;
const ASKED_USERS = 1_000;
const DOCUMENTS = 300;
const ASKED_DOCUMENTS = 30;
const DEPTH = 5;

/** A thousand users on thirty documents, each in its own folder, five folders deep. */
const permissionsGet: Comparison = {
  name: 'permissions-get',
  target: 1 / 3,

  async prepare(database) {
    const run = (text: string) => database.query(text.replaceAll(':tenant', `'${TENANT}'`));
    await run(`INSERT INTO organizations (tenant_id, organization_id) VALUES (:tenant, 'acme')`);
    await run(`
      INSERT INTO users (tenant_id, user_id)
      SELECT :tenant, 'user-' || n FROM generate_series(0, ${USERS - 1}) AS n`);
    for (let level = 1; level <= DEPTH; level++) {
      await run(`
        INSERT INTO folders (tenant_id, organization_id, folder_id, parent_folder_id, access_type)
        SELECT :tenant, 'acme', 'folder-' || n || '-${level}',
          ${level === 1 ? 'NULL' : `'folder-' || n || '-${level - 1}'`},
          ${level === 1 ? `(ARRAY['public', 'organizationPrivate', 'restricted'])[n % 3 + 1]` : 'NULL'}
        FROM generate_series(0, ${DOCUMENTS - 1}) AS n`);
    }
    await run(`
      INSERT INTO documents (tenant_id, organization_id, document_id, document_name, folder_id)
      SELECT :tenant, 'acme', 'document-' || n, 'Document ' || n, 'folder-' || n || '-${DEPTH}'
      FROM generate_series(0, ${DOCUMENTS - 1}) AS n`);
    // All others are members. Each has five roles on folders and three on documents as well.
    const grant = (type: string, id: string, role: string) => `
      INSERT INTO grants
        (tenant_id, organization_id, resource_type, resource_id, user_id, access_role)
      SELECT :tenant, 'acme', '${type}', ${id}, 'user-' || u, ${role}
      FROM generate_series(0, ${USERS - 1}) AS u`;
    await run(`${grant('organization', `'acme'`, `'viewer'`)} WHERE u % 2 = 0`);
    for (let n = 0; n < 5; n++) {
      const id = `'folder-' || (u * 7 + ${n}) % ${DOCUMENTS} || '-${n + 1}'`;
      await run(grant('folder', id, `'editor'`));
    }
    for (let n = 0; n < 3; n++) {
      await run(grant('document', `'document-' || (u * 3 + ${n}) % ${DOCUMENTS}`, `'viewer'`));
    }
  },

  request(n) {
    const from = (n * ASKED_USERS) % USERS;
    const userIds = Array.from({ length: ASKED_USERS }, (_, i) => `user-${from + i}`);
    const documentIds = Array.from(
      { length: ASKED_DOCUMENTS },
      (_, i) => `document-${(n * ASKED_DOCUMENTS + i) % DOCUMENTS}`,
    );
    return {
      path: '/v2/auth/permissions/get',
      data: { organizationId: 'acme', userIds, documentIds },
    };
  },
};

export default permissionsGet;
