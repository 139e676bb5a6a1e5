interface QuotedPart {
  quote: string;
  continuesLine: boolean;
}

/**
 * Distributes the replacement of a passage over the parts of its quote, line by line. Blocks are neither
 * split nor joined, so the replacement of several blocks must have a line for each block, or be empty.
 *
 * @returns a replacement for each part; undefined if the replacement does not fit the blocks
 */
export function distributeReplacement(
  quote: string,
  parts: readonly QuotedPart[],
  replacement: string,
): string[] | undefined {
  const lines: string[][] = [];
  for (const { quote: partQuote, continuesLine } of parts) {
    const line = continuesLine ? lines.at(-1) : undefined;
    if (line) line.push(partQuote);
    else lines.push([partQuote]);
  }
  // A quote that begins or ends with a line break is refused, since no part contains that line break.
  if (lines.map((line) => line.join('')).join('\n') !== quote) return undefined;
  if (lines.length === 1) return lines.flatMap((line) => distributeWithinLine(line, replacement));
  if (replacement === '') return parts.map(() => '');
  const newLines = replacement.split('\n');
  if (newLines.length !== quote.split('\n').length) return undefined;
  return lines.flatMap((line) => {
    // A block of code is one line of the passage, but contains line breaks.
    const count = line.join('').split('\n').length;
    return distributeWithinLine(line, newLines.splice(0, count).join('\n'));
  });
}

/**
 * Distributes the replacement of one line over its parts. Keeps the leading parts that the replacement
 * begins with, and the trailing parts that it ends with. The rest goes into the first part between them, and the
 * others become empty.
 */
function distributeWithinLine(line: readonly string[], replacement: string): string[] {
  let rest = replacement;
  let head = 0;
  let tail = line.length - 1;
  const partAt = (at: number) => line[at] ?? '';
  while (head < tail && rest.startsWith(partAt(head))) {
    rest = rest.slice(partAt(head).length);
    head++;
  }
  while (head < tail && rest.endsWith(partAt(tail))) {
    rest = rest.slice(0, rest.length - partAt(tail).length);
    tail--;
  }
  return line.map((part, at) => {
    if (at === head) return rest;
    return at < head || at > tail ? part : '';
  });
}
