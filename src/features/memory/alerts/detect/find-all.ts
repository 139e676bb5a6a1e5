import { type AlertConfig, gravityOf, type Severity } from '../schema.ts';
import { DETECTORS, type Detector } from './detectors.ts';
import { DAY_MS, type Observed } from './observe.ts';

/**
 * The significance level of one detector in one daily run, chosen so that about one month in twenty
 * has a false alarm of any kind (`npm run bench memory`); consecutive runs see mostly the same
 * judgments. It is divided by the number of subjects that are compared.
 */
const LEVEL = 0.001;

/** A change or difference that is too large for chance. */
export type Finding = ReturnType<typeof findingsOf>[number];

/** Runs all detectors and returns the findings that the tenant's settings let pass, gravest first. */
export const findAll = (
  observed: Observed,
  { enabledAlertTypes, severityThreshold }: AlertConfig,
): Finding[] =>
  DETECTORS.filter(({ alertType }) => enabledAlertTypes.includes(alertType))
    .flatMap((detector) => findingsOf(detector, observed))
    .filter(({ severity }) => gravityOf(severity) >= gravityOf(severityThreshold))
    .sort(
      (a, b) =>
        gravityOf(b.severity) - gravityOf(a.severity) || a.evidence.pValue - b.evidence.pValue,
    );

function findingsOf(
  { alertType, metric, days, severities, compare }: Detector,
  observed: Observed,
) {
  const [least, medium, high] = severities;
  const compared = compare(observed);
  const found = compared.filter(({ p, effect }) => p <= LEVEL / compared.length && effect >= least);
  // A finding about the whole key stands for those about its parts.
  const whole = found.filter(({ about }) => Object.keys(about).length === 0);
  return (whole.length > 0 ? whole : found).map(({ p, effect, baseline, current, ...finding }) => {
    const { fingerprint: _item, ...place } = finding.about;
    const severity: Severity = effect >= high ? 'high' : effect >= medium ? 'medium' : 'low';
    return {
      ...finding,
      alertType,
      severity,
      evidence: {
        metric,
        baseline,
        current,
        window: { from: observed.now - days * DAY_MS, to: observed.now },
        pValue: Number(p.toPrecision(2)),
        ...place,
      },
    };
  });
}
