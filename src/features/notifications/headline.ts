/** What a variable of a headline can stand for: somebody, or text. */
export type HeadlineValue =
  | string
  | { userId: string; name?: string | undefined; email?: string | undefined };

/** As long as a template may be. A few characters of it may stand for very much text. */
const MAX_LENGTH = 10_000;

/**
 * Fills in the variables of a headline, `{actionUser}` and the like (2.12). One that nobody gave a
 * value stays as it is written, and so does what looks like a variable inside a value. What is
 * beyond 10,000 characters is left out.
 */
export function fillHeadline(template: string, values: Record<string, HeadlineValue>): string {
  let left = MAX_LENGTH;
  const filled = template.replaceAll(/\{([^{}]+)\}/g, (variable, name: string) => {
    const value = Object.hasOwn(values, name) ? textOf(values[name]) : variable;
    const text = value.slice(0, left);
    left -= text.length;
    return text;
  });
  return filled.length > MAX_LENGTH ? filled.slice(0, MAX_LENGTH).toWellFormed() : filled;
}

function textOf(value: HeadlineValue | undefined): string {
  if (typeof value !== 'object') return value ?? '';
  return value.name ?? value.email ?? value.userId;
}
