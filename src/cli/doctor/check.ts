import { redactSecrets } from '../../platform/redact-secrets.ts';
import { reasonOf } from '../../platform/start-error.ts';

/** The result of one check of `doctor`. */
export interface Finding {
  /** The subject of the check, such as `database`. */
  about: string;
  state: 'fine' | 'warning' | 'problem';
  message: string;
  /** How to mend it. */
  remedy?: string;
}

export const fine = (about: string, message: string): Finding => ({
  about,
  state: 'fine',
  message,
});

const finding =
  (state: Finding['state']) =>
  (about: string, message: string, remedy: string): Finding => ({ about, state, message, remedy });
export const warning = finding('warning');
export const problem = finding('problem');

export interface Check {
  about: string;
  /** How to mend what makes the check itself fail. */
  remedy: string;
  run(): Finding[] | Promise<Finding[]>;
}

/** Runs checks one after the other. One that fails is a finding, and hides no other. */
export async function runChecks(checks: Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { about, remedy, run } of checks) {
    try {
      findings.push(...(await run()));
    } catch (error) {
      findings.push(problem(about, redactSecrets(reasonOf(error)), remedy));
    }
  }
  return findings;
}
