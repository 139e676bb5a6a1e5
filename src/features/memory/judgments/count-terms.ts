import { sql, type Transaction } from '../../../platform/database/database.ts';
import { nextChunk } from '../../../platform/event-loop.ts';
import { asciiOf, canBeMisspelt } from '../text/spellings.ts';
import { ALL_WORDS, termKey } from '../text/term-keys.ts';
import { wordForms } from '../text/words.ts';
import { inParts, MOST_WORDS } from './in-parts.ts';

/** A judgment with its text and the terms by which it is found. */
export interface IndexedJudgment {
  organizationId: string | null;
  query: string;
  /** The keys of the words of the text, as stored. */
  terms: string[];
  organizationTerms: string[];
}

/** SQL: an `IndexedJudgment`, of a row of memory_judgments. */
export const indexedColumns = sql`
  organization_id AS "organizationId", query, tsvector_to_array(terms) AS terms,
  tsvector_to_array(organization_terms) AS "organizationTerms"`;

/** The terms and spellings that a judgment adds to the vocabulary. */
interface Counted {
  /** Keys of its words and of the term for all judgments, in the tenant and in its organization. */
  terms: string[];
  /** The spellings of its words, each with the word's key in the tenant. */
  spellings: Array<[written: string, term: string]>;
}

function countedOf(tenantId: string, judgment: IndexedJudgment): Counted {
  const { organizationId, query, terms, organizationTerms } = judgment;
  const scopes = organizationId === null ? [null] : [null, organizationId];
  const all = scopes.map((scope) => termKey(tenantId, scope, ALL_WORDS));
  return {
    terms: [...all, ...terms, ...organizationTerms],
    spellings: spellingsOf(tenantId, query),
  };
}

const spellingsOf = (tenantId: string, query: string): Counted['spellings'] =>
  [...wordForms(query)]
    .filter(([, written]) => canBeMisspelt(written))
    .map(([word, written]) => [written, termKey(tenantId, null, word)]);

/** Counts the spellings of judgments whose terms are counted already. */
export async function countSpellings(
  tx: Transaction,
  tenantId: string,
  judgments: Array<Pick<IndexedJudgment, 'query'>>,
): Promise<void> {
  const spellings = new Map<string, Spelling>();
  for (const { query } of judgments) {
    await nextChunk();
    addSpellings(spellings, spellingsOf(tenantId, query), 1);
  }
  for (const part of await inOrder([...spellings])) await writeSpellings(tx, tenantId, part);
}

function addSpellings(
  spellings: Map<string, Spelling>,
  counted: Counted['spellings'],
  times: 1 | -1,
): void {
  for (const [written, term] of counted) {
    const before = spellings.get(written)?.judgments ?? 0;
    spellings.set(written, { written, term, judgments: before + times });
  }
}

/**
 * Updates in how many judgments each word and each spelling occurs, and deletes those that occur in
 * none. Rows are written in the order of their keys, so that transactions do not deadlock.
 */
export async function countTerms(
  tx: Transaction,
  tenantId: string,
  added: IndexedJudgment[],
  removed: IndexedJudgment[] = [],
): Promise<void> {
  const terms = new Map<string, number>();
  const spellings = new Map<string, Spelling>();
  const count = async (judgments: IndexedJudgment[], times: 1 | -1) => {
    for (const judgment of judgments) {
      await nextChunk();
      const counted = countedOf(tenantId, judgment);
      for (const term of counted.terms) terms.set(term, (terms.get(term) ?? 0) + times);
      addSpellings(spellings, counted.spellings, times);
    }
  };
  await count(added, 1);
  await count(removed, -1);
  const countedTerms = await inOrder([...terms]);
  const countedSpellings = await inOrder([...spellings]);
  for (const part of countedTerms) await writeTerms(tx, tenantId, part);
  for (const part of countedSpellings) await writeSpellings(tx, tenantId, part);
  if (removed.length === 0) return;
  for (const part of countedTerms) await forgetTerms(tx, tenantId, part);
  for (const part of countedSpellings) await forgetSpellings(tx, tenantId, part);
}

interface Spelling {
  written: string;
  term: string;
  judgments: number;
}

type Counts<Value> = Array<[key: string, value: Value]>;

/**
 * Splits counts into parts of one statement each. A statement sorts its part by bytes; the parts
 * are split by the leading characters of their keys, so that all of them together keep that order.
 */
async function inOrder<Value>(counts: Counts<Value>, at = 0): Promise<Array<Counts<Value>>> {
  if (counts.length <= MOST_WORDS) return counts.length === 0 ? [] : [counts];
  const groups = new Map<number, Counts<Value>>();
  for (const [index, count] of counts.entries()) {
    if (index % MOST_WORDS === 0) await nextChunk();
    const character = count[0].codePointAt(at) ?? -1;
    const group = groups.get(character);
    if (group) group.push(count);
    else groups.set(character, [count]);
  }
  const parts: Array<Counts<Value>> = [];
  for (const [, group] of [...groups].sort(([a], [b]) => a - b)) {
    parts.push(...(await inOrder(group, at + 1)));
  }
  return [...inParts(parts, ({ length }) => length, MOST_WORDS)].map((several) => several.flat());
}

async function writeTerms(tx: Transaction, tenantId: string, terms: Counts<number>): Promise<void> {
  await nextChunk();
  const [words, judgments] = [terms.map(([term]) => term), terms.map(([, count]) => count)];
  await tx.query(sql`
    INSERT INTO memory_terms (tenant_id, term, judgments)
    SELECT ${tenantId}, term, judgments
    FROM unnest(${words}::text[], ${judgments}::int[])
      AS counted(term, judgments)
    WHERE judgments <> 0
    ORDER BY term COLLATE "C"
    ON CONFLICT (tenant_id, term) DO UPDATE
    SET judgments = memory_terms.judgments + excluded.judgments`);
}

async function writeSpellings(
  tx: Transaction,
  tenantId: string,
  spellings: Counts<Spelling>,
): Promise<void> {
  await nextChunk();
  const rows = spellings.map(([, spelling]) => ({ ...spelling, ascii: asciiOf(spelling.written) }));
  await tx.query(sql`
    INSERT INTO memory_spellings (tenant_id, written, ascii, term, judgments)
    SELECT ${tenantId}, written, ascii, term, judgments
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS counted(
      written text, ascii text, term text, judgments int)
    WHERE judgments <> 0
    ORDER BY written COLLATE "C"
    ON CONFLICT (tenant_id, written) DO UPDATE
    SET judgments = memory_spellings.judgments + excluded.judgments`);
}

/** Deletes words without judgments. `writeTerms` has locked their rows in order. */
async function forgetTerms(tx: Transaction, tenantId: string, terms: Counts<number>) {
  await nextChunk();
  await tx.query(sql`
    DELETE FROM memory_terms
    WHERE tenant_id = ${tenantId} AND term = ANY(${terms.map(([term]) => term)}) AND judgments <= 0`);
}

async function forgetSpellings(tx: Transaction, tenantId: string, spellings: Counts<Spelling>) {
  await nextChunk();
  await tx.query(sql`
    DELETE FROM memory_spellings
    WHERE tenant_id = ${tenantId} AND written = ANY(${spellings.map(([written]) => written)})
      AND judgments <= 0`);
}
