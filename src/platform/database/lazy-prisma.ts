import type { Pool } from 'pg';
import type { PrismaClient } from './generated/client.ts';
import type { Statements } from './statements.ts';

/** Prisma's client on the pool of a database, loaded only when needed, as most processes never do. */
export class LazyPrisma {
  readonly #pool: Pool;
  readonly #statements: Statements;
  #client: Promise<PrismaClient> | undefined;

  constructor(pool: Pool, statements: Statements) {
    this.#pool = pool;
    this.#statements = statements;
  }

  client(): Promise<PrismaClient> {
    this.#client ??= open(this.#pool, this.#statements);
    return this.#client;
  }

  async disconnect(): Promise<void> {
    const client = await this.#client;
    await client?.$disconnect();
  }
}

async function open(pool: Pool, statements: Statements): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('./generated/client.ts'),
    import('@prisma/adapter-pg'),
  ]);
  const statementNameGenerator = (query: { sql: string }) => statements.nameOf(query.sql);
  const options = statements.arePrepared ? { statementNameGenerator } : {};
  return new PrismaClient({ adapter: new PrismaPg(pool, options) });
}
