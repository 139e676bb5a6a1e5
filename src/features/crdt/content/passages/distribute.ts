interface QuotedPart {
  quote: string;
  startsLine: boolean;
}

/**
 * Distributes the replacement of a passage over the parts of its quote, line by line. Blocks stay as
 * they are, so a passage of several blocks needs as many lines; an empty replacement empties them.
 *
 * @returns a replacement for each part; undefined when the lines differ
 */
export function distribute(
  quote: string,
  parts: readonly QuotedPart[],
  replacement: string,
): string[] | undefined {
  const lines: string[][] = [];
  for (const { quote: own, startsLine } of parts) {
    const line = startsLine ? undefined : lines.at(-1);
    if (line) line.push(own);
    else lines.push([own]);
  }
  // A line break at an end of the quote is no part of any text.
  if (lines.map((line) => line.join('')).join('\n') !== quote) return undefined;
  if (lines.length === 1) return lines.flatMap((line) => withinLine(line, replacement));
  if (replacement === '') return parts.map(() => '');
  const given = replacement.split('\n');
  if (given.length !== quote.split('\n').length) return undefined;
  return lines.flatMap((line) => {
    // A block of code has lines of its own.
    const own = given.splice(0, line.join('').split('\n').length);
    return withinLine(line, own.join('\n'));
  });
}

/** Leaves the parts at both ends of a line that the replacement keeps, and replaces the rest. */
function withinLine(line: readonly string[], replacement: string): string[] {
  let rest = replacement;
  let [head, tail] = [0, line.length - 1];
  for (let own = line[head] ?? ''; head < tail && rest.startsWith(own); own = line[head] ?? '') {
    rest = rest.slice(own.length);
    head++;
  }
  for (let own = line[tail] ?? ''; tail > head && rest.endsWith(own); own = line[tail] ?? '') {
    rest = rest.slice(0, rest.length - own.length);
    tail--;
  }
  return line.map((own, at) => {
    if (at === head) return rest;
    return at < head || at > tail ? own : '';
  });
}
