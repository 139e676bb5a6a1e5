import type { ZodError, z } from 'zod';
import { type AppError, invalidArgument } from '../../platform/errors.ts';

/** A problem in the input: a path such as `users[0].userId`, and a message. */
interface Issue {
  path: string;
  message: string;
}

/** The most problems that a failure lists. */
const MAX_ISSUES = 100;

/** Returns the failure for an input that a schema refuses, with all problems of the input. */
export function validationFailure(error: ZodError): AppError {
  const issues = error.issues.slice(0, MAX_ISSUES).map(toIssue);
  const first = issues[0];
  const message = first?.path ? `${first.path}: ${first.message}` : (first?.message ?? 'Invalid.');
  return invalidArgument(message, { details: { issues } });
}

function toIssue(issue: z.core.$ZodIssue): Issue {
  const inside = issue.code === 'invalid_union' && problemInsideUnion(issue);
  if (inside) return toIssue(inside);
  let path = '';
  for (const part of issue.path) {
    if (typeof part === 'number') path += `[${part}]`;
    else path += path === '' ? String(part) : `.${String(part)}`;
  }
  const problem = readableMessage(issue);
  const needsSubject = path === '' && /^[a-z]/.test(problem);
  return { path, message: needsSubject ? `The input ${problem}.` : problem };
}

/**
 * Returns the first problem that an alternative of the union has with a part of the value. This
 * alternative accepts the type of the value, so the caller probably meant it.
 */
function problemInsideUnion({ path, errors }: z.core.$ZodIssueInvalidUnion) {
  const inside = errors.flatMap(([first]) => first ?? []).find((issue) => issue.path.length > 0);
  return inside && { ...inside, path: [...path, ...inside.path] };
}

/** Rewrites Zod's own messages, which are for programmers. Messages that a schema gives stay. */
function readableMessage(issue: z.core.$ZodIssue): string {
  const { code, message } = issue;
  if (code === 'invalid_value')
    return message.replace(ONE_OF, 'must be one of ').replaceAll('|', ', ');
  if (code === 'invalid_type') return typeMessage(issue);
  if (code === 'too_small' && message.startsWith('Too small')) return tooSmallMessage(issue);
  if (code === 'too_big' && message.startsWith('Too big')) return tooBigMessage(issue);
  if (code === 'invalid_key') return nameMessage(issue);
  return code === 'invalid_union' && message === 'Invalid input' ? unionMessage(issue) : message;
}

function typeMessage({ message }: z.core.$ZodIssue): string {
  const [, expected, received] = WRONG_TYPE.exec(message) ?? [];
  if (expected === undefined) return message;
  if (expected === 'nonoptional') return 'is missing';
  const needed = `must be ${withArticle(expected)}`;
  const isFraction = expected === 'int' && received === 'number';
  if (received === 'undefined') return `is missing, and ${needed}`;
  return isFraction ? needed : `${needed}, not ${received}`;
}

/** Returns the message for a name that is refused. The path of the issue ends with this name, so the message leaves it out. */
const nameMessage = ({ issues: [first] }: z.core.$ZodIssueInvalidKey): string =>
  first ? `the name ${readableMessage(first)}` : 'has a name that is not allowed here';

function unionMessage({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const wrong = errors.flatMap(([first]) => {
    const [, expected, received] = WRONG_TYPE.exec(first?.message ?? '') ?? [];
    return expected && received ? { type: withArticle(expected), received } : [];
  });
  const [first] = wrong;
  if (!first) return 'has a value that is not allowed here';
  return `must be ${wrong.map(({ type }) => type).join(' or ')}, not ${first.received}`;
}

function withArticle(expected: string): string {
  const type = TYPES[expected] ?? expected;
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function tooSmallMessage({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  const unit = UNITS[origin];
  if (unit) return minimum === 1 ? 'must not be empty' : `must have at least ${minimum} ${unit}`;
  return inclusive ? `must be at least ${minimum}` : `must be more than ${minimum}`;
}

function tooBigMessage({ origin, maximum, inclusive }: z.core.$ZodIssueTooBig): string {
  const unit = UNITS[origin];
  if (unit) return `must have at most ${maximum} ${unit}`;
  return inclusive ? `must be at most ${maximum}` : `must be less than ${maximum}`;
}

/** The units in which the sizes of values are counted. A number has none. */
const UNITS: Record<string, string> = { string: 'characters', array: 'entries', set: 'entries' };

const TYPES: Record<string, string> = { record: 'object', int: 'whole number' };
const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;
const ONE_OF = /^Invalid option: expected one of /;
