import type { AlertEvidence } from '../../../../client/index.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { CountsTable } from './counts-table.tsx';
import { RateChart } from './rate-chart.tsx';
import { useRates } from './rates.ts';

const DAY_MS = 86_400_000;
/** How much of the time before the finding is shown. */
const DAYS_BEFORE = 35;
const MAX_DAYS = 400;

/** The metrics of alerts about one item, whose evidence is its own judgments. */
const OF_ONE_ITEM = ['precedent-followed', 'opposite-decisions'];

export const EvidenceChart = ({ evidence }: { evidence: AlertEvidence }) =>
  OF_ONE_ITEM.includes(evidence.metric) ? null : <DecisionsChart evidence={evidence} />;

/** The decisions of those whom an alert is about, with the time of the finding shaded. */
function DecisionsChart({ evidence }: { evidence: AlertEvidence }) {
  const { organizationId, reviewerId, window } = evidence;
  const since = Math.ceil((Date.now() - window.from) / DAY_MS);
  const rates = useRates({
    ...(organizationId && { organizationId }),
    ...(reviewerId && { reviewerId }),
    days: Math.min(MAX_DAYS, Math.max(1, since) + DAYS_BEFORE),
  });
  const whose = [reviewerId && `of ${reviewerId}`, organizationId && `in ${organizationId}`];
  const label = ['Decisions by day', ...whose.filter(Boolean)].join(' ');
  return (
    <Loaded query={rates} lines={6}>
      {(counts) => (
        <>
          <RateChart counts={counts} label={label} marked={window} />
          <CountsTable counts={counts} what="Day" />
        </>
      )}
    </Loaded>
  );
}
