const KEPT_LINES = 20;

/** The last output of PostgreSQL, which contains the reason of a failure. */
export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-KEPT_LINES).join('\n');
}

/** Reads a stream of text by lines, and remembers the last ones that `accept` approves of. */
export class LineReader {
  readonly #accept: (line: string) => boolean;
  #lines: string[] = [];
  #rest = '';

  constructor(accept: (line: string) => boolean) {
    this.#accept = accept;
  }

  push(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    const accepted = lines.filter((line) => this.#accept(line));
    this.#lines = [...this.#lines, ...accepted].slice(-KEPT_LINES);
  }

  lastLines(): string {
    return lastLines([...this.#lines, this.#rest].join('\n'));
  }
}
