import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Genre } from './set/topic.ts';

interface Texts {
  genres: Genre[];
  /** Items unlike anything in the memory. */
  unrelated: string[];
  /** Items of many subjects, with names and numbers to fill in. */
  wordings: string[];
}

export const TEXTS: Texts = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'texts.json'), 'utf8'),
);
