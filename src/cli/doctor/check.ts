import { redactSecrets } from '../../platform/redact-secrets.ts';
import { reasonOf } from '../../platform/start-error.ts';

/** The result of one check of `doctor`. */
export interface Finding {
  /** The subject, such as `database`. Default: the subject of the check. */
  about?: string;
  state: 'fine' | 'warning' | 'problem';
  message: string;
  /** How to correct the problem. */
  remedy?: string;
}

export const fine = (message: string): Finding => ({ state: 'fine', message });

const finding =
  (state: Finding['state']) =>
  (message: string, remedy: string): Finding => ({ state, message, remedy });
export const warning = finding('warning');
export const problem = finding('problem');

export interface Check {
  about: string;
  /** How to correct the cause if the check itself fails. */
  remedy: string;
  run(): Promise<Finding | Finding[] | undefined>;
}

/** Runs checks one after the other. A check that throws becomes a finding, and the others still run. */
export async function runChecks(checks: Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { about, remedy, run } of checks) {
    const result = await run().catch((error: unknown) =>
      problem(redactSecrets(reasonOf(error)), remedy),
    );
    const results = Array.isArray(result) ? result : [result];
    for (const each of results) if (each) findings.push({ about, ...each });
  }
  return findings;
}
