import type { Services } from '../../../api/context.ts';
import { type Queryable, sql, type Transaction } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import { hasFields } from '../judgments/query-judgments.ts';
import { type AlertRow, alertColumns, getAlertConfig, presentAlert } from './alerts.ts';
import { countJudgments, DAY_MS, WEEK_DAYS } from './detect/count-judgments.ts';
import { type Finding, runDetectors } from './detect/detectors.ts';
import { type PresentedAlert, severityRank } from './schema.ts';

type Context = Pick<Services, 'db' | 'clock' | 'events' | 'log'>;

/** The time between two checks of a tenant's judgments. */
const INTERVAL_MS = DAY_MS;
/** The time until a failed check is tried again. */
const RETRY_MS = DAY_MS / 24;
/** For how many days a finding raises no second alert, even if the first one was dismissed. */
const SILENT_DAYS = 30;
/** The most judgments that the evidence of an alert lists. */
const MAX_SOURCES = 20;

/** Checks the judgments of every due tenant, one after the other. */
export async function checkJudgments({ db, clock, events, log }: Context): Promise<void> {
  for (;;) {
    const now = clock.now();
    // The due time is postponed first, so that other processes leave this tenant alone, and this loop
    // continues with the next tenant if the check fails.
    const [due] = await db.query<{ tenantId: string }>(sql`
      UPDATE memory_watches SET due_ms = ${now + RETRY_MS}::bigint
      WHERE tenant_id = (
        SELECT tenant_id FROM memory_watches /* all tenants, background */
        WHERE due_ms <= ${now}::bigint ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING tenant_id AS "tenantId"`);
    if (!due) return;
    const { tenantId } = due;
    try {
      await db.transaction(async (tx) => {
        await tx.query(sql`
          UPDATE memory_watches SET due_ms = ${now + INTERVAL_MS}::bigint
          WHERE tenant_id = ${tenantId}`);
        for (const finding of await newFindings(tx, tenantId, now)) {
          const { organizationId } = finding.about;
          const channels = organizationId === undefined ? [] : [`organization:${organizationId}`];
          const inserted = await insertAlert(tx, tenantId, finding, now);
          const toEvent = (data: PresentedAlert) => ({
            type: 'memory.alert',
            ...(organizationId !== undefined && { organizationId }),
            channels,
            data,
          });
          await events.append(tx, tenantId, inserted.map(toEvent));
        }
      });
    } catch (error) {
      log.warn(
        { err: error, apiKey: tenantId },
        'The judgments of an API key could not be checked for alerts.',
      );
    }
  }
}

/** Returns the most severe findings that have no alert yet, as many as the settings still allow this week. */
async function newFindings(db: Queryable, tenantId: string, now: number): Promise<Finding[]> {
  const config = await getAlertConfig({ db, tenantId });
  if (!config.enabled) return [];
  const alerts = await db.query<{ alertType: string; subject: string; createdMs: number }>(sql`
    SELECT alert_type AS "alertType", subject, created_ms::float8 AS "createdMs" FROM memory_alerts
    WHERE tenant_id = ${tenantId}
      AND (status = 'active' OR created_ms > ${now - SILENT_DAYS * DAY_MS}::bigint)`);
  const thisWeek = alerts.filter(({ createdMs }) => createdMs > now - WEEK_DAYS * DAY_MS);
  const remaining = config.maxAlertsPerWeek - thisWeek.length;
  if (remaining <= 0) return [];
  const keyOf = ({ alertType, subject }: { alertType: string; subject: string }) =>
    `${alertType} ${subject}`;
  const known = new Set(alerts.map(keyOf));
  return runDetectors(await countJudgments(db, tenantId, now), config)
    .filter((finding) => !known.has(keyOf(finding)))
    .slice(0, remaining);
}

/** Stores an alert with the newest judgments that the finding is based on. */
async function insertAlert(
  tx: Transaction,
  tenantId: string,
  { about, evidence, ...finding }: Finding,
  now: number,
): Promise<PresentedAlert[]> {
  const { from, to } = evidence.window;
  const rows = await tx.query<AlertRow>(sql`
    INSERT INTO memory_alerts (tenant_id, alert_id, alert_type, severity, subject, title,
      description, evidence, suggested_action, status, created_ms)
    VALUES (${tenantId}, ${newId()}, ${finding.alertType}, ${severityRank(finding.severity)},
      ${finding.subject}, ${finding.title}, ${finding.description},
      ${JSON.stringify(evidence)}::jsonb || jsonb_build_object('sourceRecordIds', ARRAY(
        SELECT record_id FROM memory_judgments
        WHERE ${hasFields(tenantId, about)}
          AND created_ms > ${from}::bigint AND created_ms <= ${to}::bigint
        ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC
        LIMIT ${MAX_SOURCES})),
      ${finding.suggestedAction}, 'active', ${now}::bigint)
    RETURNING ${alertColumns}`);
  return rows.map(presentAlert);
}
