import { nextLongTurn } from '../../platform/event-loop.ts';
import { PreserializedJson, writeJsonChunks } from '../../platform/json.ts';

/** The most values of an output that is not long: serializing them takes a few milliseconds. */
const MAX_VALUES = 10_000;
/** The most characters of an output that is not long. */
const MAX_LENGTH = 256 * 1024;
const CHUNK_LENGTH = 64 * 1024;

/**
 * Whether `serializeLong` has to serialize an output: it is long, or a part of it is already
 * serialized.
 */
export function isLong(output: unknown): boolean {
  let remainingValues = MAX_VALUES;
  let remainingLength = MAX_LENGTH;
  const fits = (item: unknown): boolean => {
    remainingValues -= 1;
    if (typeof item === 'string') remainingLength -= item.length;
    if (remainingValues < 0 || remainingLength < 0) return false;
    if (typeof item !== 'object' || item === null) return true;
    if (item instanceof PreserializedJson) return false;
    // Enumerating the keys of a list would take several times as long.
    if (Array.isArray(item)) return item.every(fits);
    for (const key in item) if (!fits((item as Record<string, unknown>)[key])) return false;
    return true;
  };
  return !fits(output);
}

/**
 * Serializes a long output to chunks of text. A page may hold a thousand rows of 16 KB, so the parts of
 * long values are serialized one by one, and other work runs in between.
 */
export async function serializeLong(output: unknown): Promise<string[]> {
  const chunks: string[] = [];
  await serialize(output, chunks);
  return chunks;
}

async function serialize(value: unknown, chunks: string[]): Promise<void> {
  if (!isContainer(value) || !isLong(value)) {
    const pause = nextLongTurn();
    // Awaiting undefined would still cost a turn of the microtask queue for each part.
    if (pause !== undefined) await pause;
    for (const text of writeJsonChunks(value)) append(chunks, text);
    return;
  }
  const isList = Array.isArray(value);
  append(chunks, isList ? '[' : '{');
  let separator = '';
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined && !isList) continue;
    append(chunks, isList ? separator : `${separator}${JSON.stringify(name)}:`);
    separator = ',';
    await serialize(part, chunks);
  }
  append(chunks, isList ? ']' : '}');
}

function append(chunks: string[], text: string): void {
  const lastIndex = chunks.length - 1;
  const last = chunks[lastIndex];
  if (last === undefined || last.length >= CHUNK_LENGTH) chunks.push(text);
  else chunks[lastIndex] = last + text;
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof PreserializedJson);
