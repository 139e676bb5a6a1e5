/** Cuts a long text to `maxLength` without splitting a character, and marks the cut. */
export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength
    ? text
    : `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .trimEnd()}…`;
