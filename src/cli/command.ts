import type { Command } from 'commander';

/** Writes a line of progress to standard error, so that standard output contains only the result. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

interface Outcome {
  /** For programs, with `--json`. */
  result: object;
  /** For people. */
  text: string;
  /** Whether something is wrong, so that the process exits with 1. */
  isWrong?: boolean;
}

/** Lets a command run a function, and print what it returns. */
export function setAction<Parameters extends unknown[]>(
  command: Command,
  work: (...parameters: Parameters) => Promise<Outcome>,
): Command {
  return command
    .option('--json', 'print the result as JSON')
    .action(async (...parameters: unknown[]) => {
      const { result, text, isWrong = false } = await work(...(parameters as Parameters));
      process.stdout.write(`${command.opts().json ? JSON.stringify(result) : text}\n`);
      if (isWrong) process.exitCode = 1;
    });
}
