/** What a variable of a headline can stand for: somebody, or text. */
export type HeadlineValue =
  | string
  | { userId: string; name?: string | undefined; email?: string | undefined };

/**
 * Fills in the variables of a headline, `{actionUser}` and the like (2.12). One that nobody gave a
 * value stays as it is written, and so does what looks like a variable inside a value.
 */
export const fillHeadline = (template: string, values: Record<string, HeadlineValue>): string =>
  template.replaceAll(/\{([^{}]+)\}/g, (variable, name: string) =>
    Object.hasOwn(values, name) ? textOf(values[name]) : variable,
  );

function textOf(value: HeadlineValue | undefined): string {
  if (typeof value !== 'object') return value ?? '';
  return value.name ?? value.email ?? value.userId;
}
