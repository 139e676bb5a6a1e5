import { type AppError, invalidArgument } from '../../platform/errors.ts';

const MAX_DEPTH = 100;
/** A full batch of rich items has fewer values, and this many are parsed in well under 100 ms. */
const MAX_VALUES = 120_000;
/**
 * Distinct field names take the most time to parse and to look through. This limit still admits a
 * thousand items with 40 fields each.
 */
const MAX_FIELDS = 40_000;
/** The length of all names together, in bytes: the parser compares each name with all others. */
const MAX_NAME_BYTES = 2 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The depth of the fields of an operation, as in `{"data":{"userId":…}}`. */
const FIELD_DEPTH = 2;

/**
 * Returns the failure for a JSON text whose structure is refused. The check reads bytes, since the
 * parser itself would take a second for five million brackets.
 */
export function bodyProblem(body: Buffer): AppError | undefined {
  let depth = 0;
  let values = 1;
  let fields = 0;
  let nameBytes = 0;
  /** The length of the string that was read last, which is a name if a colon follows. */
  let lastLength = 0;
  let field: [start: number, end: number] | undefined;
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case QUOTE: {
        const end = endOfString(body, at);
        // Values that are nested deeper than this belong to the last field that was read.
        if (depth === FIELD_DEPTH && body[end + 1] === COLON) field = [at, end + 1];
        lastLength = end - at;
        at = end;
        break;
      }
      case COMMA:
        values += 1;
        break;
      case COLON:
        fields += 1;
        nameBytes += lastLength;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) return tooDeep(body, field);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
    }
    if (values > MAX_VALUES) return tooMany(MAX_VALUES, 'values');
    if (fields > MAX_FIELDS) return tooMany(MAX_FIELDS, 'fields');
    if (nameBytes > MAX_NAME_BYTES) {
      return invalidArgument('The field names add up to more than 2 MB.');
    }
  }
  return undefined;
}

/**
 * Returns the end of the string that begins at `start`: its closing quote, or the end of the text.
 */
function endOfString(body: Buffer, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}

const tooMany = (max: number, noun: string): AppError =>
  invalidArgument(`The body contains more than ${max.toLocaleString('en')} ${noun}.`);

/** Returns the failure, which names the field of `data` that is nested too deeply, if it is known. */
function tooDeep(body: Buffer, field: [start: number, end: number] | undefined): AppError {
  const message = `The body is nested deeper than ${MAX_DEPTH} levels.`;
  const path = field && parseName(body.toString('utf8', ...field));
  if (path === undefined) return invalidArgument(message);
  return invalidArgument(message, {
    details: { issues: [{ path, message: 'is nested too deeply' }] },
  });
}

function parseName(text: string): string | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
