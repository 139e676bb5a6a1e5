import type { AlertConfig } from '../schema.ts';
import { gravityOf } from '../schema.ts';
import { approvalDrift } from './approval-drift.ts';
import type { Finding, Observed } from './finding.ts';
import { abandonedPrecedent, conflictingDecisions } from './items.ts';
import { reviewerDivergence } from './reviewer-divergence.ts';
import { unusualVolume } from './unusual-volume.ts';

const DETECTORS = [
  approvalDrift,
  reviewerDivergence,
  conflictingDecisions,
  unusualVolume,
  abandonedPrecedent,
];

/**
 * Runs all detectors and returns the findings that the tenant's settings let pass, gravest first.
 */
export function findAll(
  observed: Observed,
  { enabledAlertTypes, severityThreshold }: AlertConfig,
): Finding[] {
  const least = gravityOf(severityThreshold);
  return DETECTORS.flatMap((detect) => detect(observed))
    .filter(({ alertType }) => enabledAlertTypes.includes(alertType))
    .filter(({ severity }) => gravityOf(severity) >= least)
    .sort((a, b) => gravityOf(b.severity) - gravityOf(a.severity) || byP(a, b));
}

const byP = (a: Finding, b: Finding) => a.evidence.pValue - b.evidence.pValue;
