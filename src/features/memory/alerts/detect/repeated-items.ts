import { shortened } from '../../text/shortened.ts';
import { type Detector, percent, rounded, shareOf } from './detector.ts';
import { type ItemCount, MONTH_DAYS } from './observe.ts';
import { binomialTail, compareRates, type Tally } from './statistics.ts';

/** The share of decisions about one item that are expected to be mistakes. */
const MISTAKES = 0.05;

/** Finds near-identical items that were decided in opposite ways in the last 30 days. */
export const conflictingDecisions: Detector = {
  alertType: 'conflicting-decisions',
  metric: 'opposite-decisions',
  days: MONTH_DAYS,
  severities: [0, 0.25, 0.4],
  compare: ({ items }) =>
    items.map((item) => {
      const { approved, decided } = item.recent;
      const minority = Math.min(approved, decided - approved);
      return {
        ...subjectOf(item),
        p: binomialTail(minority, decided, MISTAKES),
        effect: minority / decided,
        title: 'Near-identical items are decided in opposite ways',
        description: `${quoted(item)} was approved ${approved} times and rejected ${decided - approved} times in the last 30 days.`,
        suggestedAction: 'Decide which of the two holds, and say why in the next judgment.',
        baseline: { mistakes: MISTAKES },
        current: figuresOf(item.recent),
      };
    }),
};

/** Finds items that were decided one way, but mostly the other way in the last 30 days. */
export const abandonedPrecedent: Detector = {
  alertType: 'abandoned-precedent',
  metric: 'precedent-followed',
  days: MONTH_DAYS,
  severities: [0.6, 0.75, 0.9],
  compare: ({ items }) =>
    items
      .filter(({ older }) => older.decided > 0)
      .map((item) => {
        const wasFor = shareOf(item.older) > 0.5;
        const followed = ({ approved, decided }: Tally) => (wasFor ? approved : decided - approved);
        const [recent, older] = [followed(item.recent), followed(item.older)];
        const [of, olderOf] = [item.recent.decided, item.older.decided];
        const decision = wasFor ? 'approved' : 'rejected';
        return {
          ...subjectOf(item),
          p: compareRates(item.recent, item.older),
          effect: older / olderOf - recent / of,
          title: 'A precedent is not followed any more',
          description: `${quoted(item)} was ${decision} in ${percent(older / olderOf)} of ${olderOf} cases, and in ${recent} of ${of} in the last 30 days.`,
          suggestedAction:
            'If the policy changed, tell those who decide; if not, look at the latest ones.',
          baseline: { decision, times: older, of: olderOf },
          current: { ...figuresOf(item.recent), times: recent, of },
        };
      }),
};

const subjectOf = ({ fingerprint }: ItemCount) => ({
  subject: fingerprint,
  about: { fingerprint },
});

const figuresOf = (tally: Tally) => ({
  approved: tally.approved,
  rejected: tally.decided - tally.approved,
  rate: rounded(shareOf(tally)),
});

const MAX_QUOTED = 120;
const quoted = ({ query }: ItemCount): string => `"${shortened(query, MAX_QUOTED)}"`;
