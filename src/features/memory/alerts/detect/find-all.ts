import { type AlertConfig, type AlertEvidence, gravityOf } from '../schema.ts';
import { approvalRateDrift } from './approval-rate-drift.ts';
import { type Comparison, DAY_MS, type Detector, type Observed } from './detector.ts';
import { abandonedPrecedent, conflictingDecisions } from './repeated-items.ts';
import { reviewerDivergence } from './reviewer-divergence.ts';
import { unusualVolume } from './unusual-volume.ts';

const DETECTORS: Detector[] = [
  approvalRateDrift,
  reviewerDivergence,
  conflictingDecisions,
  unusualVolume,
  abandonedPrecedent,
];

/**
 * The significance level of one detector in one daily run, chosen so that about one month in twenty
 * has a false alarm of any kind (`npm run bench memory`); consecutive runs see mostly the same
 * judgments. It is divided by the number of subjects that are compared.
 */
const LEVEL = 0.001;

/** A change or difference that is too large for chance. */
export interface Finding
  extends Pick<Comparison, 'subject' | 'about' | 'title' | 'description' | 'suggestedAction'> {
  alertType: Detector['alertType'];
  /** From 1 for a low severity to 3 for a high one. */
  gravity: number;
  evidence: Omit<AlertEvidence, 'sourceRecordIds'>;
}

/** Runs all detectors and returns the findings that the tenant's settings let pass, gravest first. */
export function findAll(
  observed: Observed,
  { enabledAlertTypes, severityThreshold }: AlertConfig,
): Finding[] {
  return DETECTORS.filter(({ alertType }) => enabledAlertTypes.includes(alertType))
    .flatMap((detector) => findingsOf(detector, observed))
    .filter(({ gravity }) => gravity >= gravityOf(severityThreshold))
    .sort((a, b) => b.gravity - a.gravity || a.evidence.pValue - b.evidence.pValue);
}

function findingsOf(detector: Detector, observed: Observed): Finding[] {
  const [least, medium, high] = detector.severities;
  const compared = detector.compare(observed);
  const found = compared.filter(({ p, effect }) => p <= LEVEL / compared.length && effect >= least);
  // A finding about the whole key stands for those about its parts.
  const whole = found.filter(({ about }) => Object.keys(about).length === 0);
  return (whole.length > 0 ? whole : found).map(
    ({ p, effect, baseline, current, ...comparison }): Finding => ({
      ...comparison,
      alertType: detector.alertType,
      gravity: effect >= high ? 3 : effect >= medium ? 2 : 1,
      evidence: {
        metric: detector.metric,
        baseline,
        current,
        window: { from: observed.now - detector.days * DAY_MS, to: observed.now },
        pValue: Number(p.toPrecision(2)),
        ...placeOf(comparison),
      },
    }),
  );
}

const placeOf = ({ about: { fingerprint: _item, ...place } }: Pick<Comparison, 'about'>) => place;
