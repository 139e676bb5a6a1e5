import { failureOf } from '../api/failure.ts';

/**
 * The problems that the API found in the fields of a form, by the names of the input:
 * `const problem = fieldErrors(saving.error)`, and then `error={problem('url')}`.
 * A problem within a list or an object stands at its field.
 */
export function fieldErrors(error: unknown): (field: string) => string | undefined {
  const issues = error ? failureOf(error).issues : [];
  return (field) =>
    issues.find(({ path }) => path === field || path.startsWith(`${field}.`))?.message;
}

/** Whether the API named fields, so that the form itself shows what is wrong. */
export const hasFieldErrors = (error: unknown): boolean => failureOf(error).issues.length > 0;
