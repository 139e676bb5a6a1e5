import { expect, it } from 'vitest';
import {
  eraseInComments,
  eraseInReactions,
  eraseInSubscriptions,
} from '../../../src/features/comments/erasure.ts';
import type { Sql, Transaction } from '../../../src/platform/database/database.ts';
import { Anonymiser } from '../../../src/platform/erasure/anonymiser.ts';
import { type Erasure, STEP_ROWS } from '../../../src/platform/erasure/step.ts';
import { databasePool } from '../../support/database-client.ts';
import { maxRowsRead, stopAutovacuum } from '../../support/rows-read.ts';
import { createDatabase } from '../../support/server.ts';

const ROWS = 30_000;

const pool = databasePool(await createDatabase());

/** Every part of every annotation names Ada. */
const FILLS = [
  `INSERT INTO organizations (tenant_id, organization_id) VALUES ('t', 'acme')`,
  `INSERT INTO documents (tenant_id, organization_id, document_id, document_name) VALUES ('t', 'acme', 'plan', '')`,
  `INSERT INTO comment_annotations (tenant_id, organization_id, document_id, annotation_id, annotation_number,
     type, author_id, from_user, status_id, status, visibility, created_at, last_updated, last_comment_at,
     last_comment_by)
   SELECT 't', 'acme', 'plan', 'a' || n, n, 'comment', 'b', '{}', 's', '{}', '{}', n, n, n, 'b'
   FROM generate_series(1, ${ROWS}) AS n ORDER BY md5(n::text)`,
  `INSERT INTO comments (tenant_id, annotation_id, comment_id, author_id, from_user, content, created_at,
     last_updated)
   SELECT 't', 'a' || n, 1, 'b', '{}', '{"commentText":"ada"}', n, n FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO annotation_users (tenant_id, annotation_id, user_id, organization_id, "user", last_updated)
   SELECT 't', 'a' || n, 'b', 'acme', '{"manager":"ada"}', n FROM generate_series(1, ${ROWS}) AS n`,
  `INSERT INTO comment_reactions (tenant_id, annotation_id, comment_id, icon, user_id, reaction_id, "user",
     last_updated)
   SELECT 't', 'a' || n, 1, 'ok', 'b', n, '{"manager":"ada"}', n FROM generate_series(1, ${ROWS}) AS n`,
];
await stopAutovacuum(pool);
for (const fill of FILLS) await pool.query(fill);

const people = [{ userId: 'ada', alias: 'x', names: [], organizationIds: [] }];
const erasure = {
  tenantId: 't',
  userIds: ['ada'],
  organizationIds: undefined,
  anonymiser: new Anonymiser(people),
} as unknown as Erasure;

/** The statements of a step of the walk after a key, whose writes do not take place. */
async function statementsOf(step: typeof eraseInComments, after: string[]): Promise<Sql[]> {
  const statements: Sql[] = [];
  const query = async (statement: Sql) => {
    statements.push(statement);
    return (await pool.query(statement.text, statement.values)).rows;
  };
  await step.run(erasure, { query } as Transaction, after);
  return statements.filter(({ text }) => !/^\s*UPDATE/.test(text));
}

const steps = [
  [eraseInComments, ['a8', '1']],
  [eraseInSubscriptions, ['a8', 'b']],
  [eraseInReactions, ['a8', '1', 'ok', 'b']],
] as const;

it.each(steps)(
  'a step of an erasure reads only the annotations of its rows: %o',
  async (step, after) => {
    for (const statistics of ['', 'ANALYZE']) {
      await pool.query(statistics);
      const read = await maxRowsRead(pool, await statementsOf(step, [...after]));
      expect(read, statistics).toBeLessThan(5 * STEP_ROWS);
    }
  },
);
