import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SCHEMA = path.join(import.meta.dirname, '../../prisma/schema');

/** The models of the Prisma schema, with their tables. */
export const MODELS: Array<{ table: string; text: string }> = readdirSync(SCHEMA)
  .flatMap(
    (file) => readFileSync(path.join(SCHEMA, file), 'utf8').match(/^model [\s\S]*?^}/gm) ?? [],
  )
  .map((text) => ({ text, table: /@@map\("(\w+)"\)/.exec(text)?.[1] ?? '' }));
