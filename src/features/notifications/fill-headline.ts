/** The value of a variable in a headline: a user, or text. */
type HeadlineValue =
  | string
  | { userId: string; name?: string | undefined; email?: string | undefined };

/** The most characters of a template. The filled headline has the same limit, because values can be long. */
const MAX_LENGTH = 10_000;

/**
 * Fills in the variables of a headline, such as `{actionUser}` (specification 2.12). Variables
 * without a value stay as they are, and values are not searched for variables. The result is cut at
 * 10,000 characters.
 */
export function fillHeadline(template: string, values: Record<string, HeadlineValue>): string {
  let remaining = MAX_LENGTH;
  const filled = template.replaceAll(/\{([^{}]+)\}/g, (variable, name: string) => {
    const value = Object.hasOwn(values, name) ? textOf(values[name]) : variable;
    const text = value.slice(0, remaining);
    remaining -= text.length;
    return text;
  });
  // A cut may split a surrogate pair. Half a pair is replaced, because PostgreSQL refuses it.
  return filled.slice(0, MAX_LENGTH).toWellFormed();
}

function textOf(value: HeadlineValue | undefined): string {
  if (typeof value !== 'object') return value ?? '';
  return value.name ?? value.email ?? value.userId;
}
