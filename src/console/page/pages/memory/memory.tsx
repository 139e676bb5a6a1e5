import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { Alert } from '../../../../client/index.ts';
import { useRead } from '../../api/read.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Empty, Fold, Loaded, TimeNote } from '../../parts/basics.tsx';
import { PageLink, StoredLink } from '../../parts/links.tsx';
import { Page, PageTabs } from '../../parts/page.tsx';
import { JudgmentItem } from './judgment-item.tsx';
import { JudgmentsTab } from './judgments-tab.tsx';
import { DAY_MS, RateChart, useRates } from './rates.tsx';

export const Memory = () => (
  <Page title="Memory" description="Past decisions, and alerts about unusual ones.">
    <PageTabs
      tabs={[
        { value: 'alerts', label: 'Alerts', content: <AlertsTab /> },
        { value: 'judgments', label: 'Judgments', content: <JudgmentsTab /> },
      ]}
    />
  </Page>
);

/** The alerts about judgments of the last weeks. */
const AlertsTab = () => (
  <Stack gap="md">
    <Group>
      <PageLink page="settings" search={{ tab: 'notifications' }} text="Alert settings" />
    </Group>
    <Loaded query={useRead('memory.alerts.list', {}, { refetchInterval: 30_000 })} lines={8}>
      {(found) =>
        found.length === 0 ? (
          <Empty title="No alerts">
            Alerts appear here when approval rates drift, reviewers diverge, decisions conflict, or
            the number of decisions is unusual.
          </Empty>
        ) : (
          found.map((alert) => <AlertCard key={alert.id} alert={alert} />)
        )
      }
    </Loaded>
  </Stack>
);

const COLORS: Record<Alert['severity'], string> = { high: 'red', medium: 'orange', low: 'gray' };

function AlertCard({ alert }: { alert: Alert }) {
  const { id, title, description, severity, alertType, evidence, suggestedAction } = alert;
  const { sourceRecordIds } = evidence;
  return (
    <Paper withBorder p="md" component="article" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title size="h4">{title}</Title>
            <Group gap="xs" mt={4}>
              <Badge color={COLORS[severity]}>{`${severity} severity`}</Badge>
              <Badge color="gray">{alertType.replaceAll('-', ' ')}</Badge>
              <TimeNote at={alert.createdAt} />
            </Group>
          </div>
          <ActionButton
            label="Dismiss"
            variant="default"
            color="gray"
            run={(call) => call('memory.alerts.dismiss', { alertId: id })}
            notice="Alert dismissed."
            question="Dismiss this alert?"
            consequences={`The alert “${title}” disappears for everyone. This cannot be undone.`}
          />
        </Group>
        <Text className="console-text">
          {description} {chanceOf(evidence.pValue)}
        </Text>
        {suggestedAction && (
          <Text className="console-text">
            <b>Suggested action: </b>
            {suggestedAction} <StoredLink address={alert.actionUrl}>Open</StoredLink>
          </Text>
        )}
        {!ITEM_METRICS.includes(evidence.metric) && <DecisionsChart evidence={evidence} />}
        {sourceRecordIds.length > 0 && (
          <Fold title={`Judgments: ${sourceRecordIds.length}`}>
            <SourceJudgments recordIds={sourceRecordIds} />
          </Fold>
        )}
      </Stack>
    </Paper>
  );
}

/** A rarer chance than one in this number is put into words. */
const MAX_ODDS = 1000;

const chanceOf = (pValue: number): string =>
  pValue * MAX_ODDS < 1
    ? 'This is almost certainly not chance.'
    : `By chance alone, this would happen about once in ${Math.round(1 / pValue)} periods.`;

/** How many days before the finding are shown. */
const DAYS_BEFORE = 35;
const MAX_DAYS = 400;
/** The metrics of alerts about a single item. Its judgments are the evidence, so there is no chart. */
const ITEM_METRICS = ['precedent-followed', 'opposite-decisions'];

/** The decisions that an alert is about, with the period of the finding shaded. */
function DecisionsChart({ evidence }: { evidence: Alert['evidence'] }) {
  const { organizationId, reviewerId, window } = evidence;
  const since = Math.ceil((Date.now() - window.from) / DAY_MS);
  const days = Math.min(MAX_DAYS, Math.max(1, since) + DAYS_BEFORE);
  const scope = [reviewerId && `by ${reviewerId}`, organizationId && `in ${organizationId}`];
  const title = ['Decisions per day', ...scope.filter(Boolean)].join(' ');
  return (
    <Loaded query={useRates({ organizationId, reviewerId, days })} lines={6}>
      {(counts) => <RateChart counts={counts} title={title} marked={window} />}
    </Loaded>
  );
}

/** The judgments that an alert names. Some of them may have been erased since then. */
function SourceJudgments({ recordIds }: { recordIds: string[] }) {
  const judgments = useRead('console.memory.judgments', { recordIds });
  return (
    <Loaded query={judgments}>
      {({ judgments: found }) => (
        <Stack gap="xs">
          {found.length === 0 && (
            <Empty title="Not found">These judgments were deleted or erased.</Empty>
          )}
          {found.map((judgment) => (
            <JudgmentItem key={judgment.recordId} judgment={judgment} />
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
