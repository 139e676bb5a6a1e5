/** Progress goes to standard error, so that the output holds the result alone. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Prints a result for people, or with `--json` for programs. */
export function printResult(result: object, { json }: { json?: boolean }, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(result) : text}\n`);
}
