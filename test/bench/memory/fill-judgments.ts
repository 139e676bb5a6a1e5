import type { Client } from 'pg';
import { insertJudgments } from '../../../src/features/memory/judgments/store-judgments.ts';
import { Database } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging.ts';
import { TENANT } from '../harness/credentials.ts';
import { judgmentOf } from './bulk-judgments.ts';
import { Random } from './random.ts';

const BATCH = 5_000;

/** Writes through the product's own functions, so that the vocabulary is realistic. */
export async function fillJudgments(database: Client, count: number): Promise<void> {
  const random = new Random(1);
  const db = new Database({ url: await urlOf(database), poolSize: 1, log: createLogger('silent') });
  try {
    for (let written = 0; written < count; written += BATCH) {
      const length = Math.min(BATCH, count - written);
      const batch = Array.from({ length }, (_, n) => judgmentOf(random, written + n));
      await db.transaction((tx) => insertJudgments(tx, TENANT, batch, Date.now()));
    }
  } finally {
    await db.close();
  }
}

async function urlOf(database: Client): Promise<string> {
  const { rows } = await database.query<{ name: string }>('SELECT current_database() AS name');
  const url = new URL(`postgresql://${database.host}:${database.port}`);
  url.username = database.user ?? '';
  url.password = String(database.password ?? '');
  url.pathname = `/${rows[0]?.name}`;
  return url.href;
}
