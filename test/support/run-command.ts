import { vi } from 'vitest';
import { runCommand } from '../../src/cli/run-command.ts';

/** Runs `collaboration` with these settings in this process. Tests that do so run one after the other. */
export async function runInProcess(parameters: string[], settings: Record<string, string>) {
  const written = { stdout: '', stderr: '' };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text;
      return true;
    }),
  );
  const exitCode = process.exitCode;
  process.exitCode = 0;
  try {
    await runCommand(parameters);
    return { code: process.exitCode, ...written };
  } finally {
    process.exitCode = exitCode;
    for (const stream of streams) stream.mockRestore();
    vi.unstubAllEnvs();
  }
}
