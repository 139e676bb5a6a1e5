import type { KeyContext } from '../../../api/context.ts';
import { empty, sql, type Transaction } from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import { getAlertConfig } from './alert-config.ts';
import { type AlertRow, alertEvent } from './alert-row.ts';
import { findAll } from './detect/find-all.ts';
import { DAY_MS, type Finding, WEEK_DAYS } from './detect/finding.ts';
import { observe } from './observe.ts';
import { gravityOf } from './schema.ts';

/** How long the same finding raises no further alert; nor does it while its alert is active. */
const SILENT_DAYS = 30;
const MAX_SOURCES = 20;

/**
 * Raises alerts about new findings in a tenant's judgments, the gravest first, within the types,
 * the severity and the number per week that the tenant has configured.
 */
export async function raiseAlerts(
  { events, tenantId }: Pick<KeyContext, 'events' | 'tenantId'>,
  tx: Transaction,
  now: number,
): Promise<void> {
  const config = await getAlertConfig({ db: tx, tenantId });
  const room = config.enabled
    ? config.maxAlertsPerWeek - (await raisedThisWeek(tx, tenantId, now))
    : 0;
  if (room <= 0) return;
  const findings = findAll(await observe(tx, tenantId, now), config);
  const fresh = await withoutKnown(tx, tenantId, findings, now);
  for (const finding of fresh.slice(0, room)) {
    const row = await insertAlert(tx, tenantId, finding, now);
    await events.append(tx, tenantId, [alertEvent(tenantId, row)]);
  }
}

async function raisedThisWeek(tx: Transaction, tenantId: string, now: number): Promise<number> {
  const [raised] = await tx.query<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM memory_alerts
    WHERE tenant_id = ${tenantId} AND created_ms > ${now - WEEK_DAYS * DAY_MS}::bigint`);
  return raised?.count ?? 0;
}

async function withoutKnown(
  tx: Transaction,
  tenantId: string,
  findings: Finding[],
  now: number,
): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const alerts = await tx.query<{ alertType: string; subject: string }>(sql`
    SELECT alert_type AS "alertType", subject
    FROM unnest(${findings.map(({ alertType }) => alertType)}::text[],
                ${findings.map(({ subject }) => subject)}::text[]) AS found(alert_type, subject)
    JOIN memory_alerts USING (alert_type, subject)
    WHERE tenant_id = ${tenantId}
      AND (status = 'active' OR created_ms > ${now - SILENT_DAYS * DAY_MS}::bigint)`);
  const keyOf = (one: { alertType: string; subject: string }) =>
    JSON.stringify([one.alertType, one.subject]);
  const known = new Set(alerts.map(keyOf));
  return findings.filter((finding) => !known.has(keyOf(finding)));
}

async function insertAlert(
  tx: Transaction,
  tenantId: string,
  finding: Finding,
  now: number,
): Promise<AlertRow> {
  const row: AlertRow = {
    alertId: newId(),
    alertType: finding.alertType,
    severity: gravityOf(finding.severity),
    title: finding.title,
    description: finding.description,
    evidence: { ...finding.evidence, sourceRecordIds: await sourcesOf(tx, tenantId, finding) },
    suggestedAction: finding.suggestedAction,
    actionUrl: null,
    status: 'active',
    createdMs: now,
    dismissedMs: null,
    dismissedBy: null,
  };
  await tx.query(sql`
    INSERT INTO memory_alerts (tenant_id, alert_id, alert_type, severity, subject, title,
      description, evidence, suggested_action, status, created_ms)
    VALUES (${tenantId}, ${row.alertId}, ${row.alertType}, ${row.severity}, ${finding.subject},
      ${row.title}, ${row.description}, ${JSON.stringify(row.evidence)}::jsonb,
      ${row.suggestedAction}, ${row.status}, ${now}::bigint)`);
  return row;
}

/** The newest judgments that a finding is based on. */
async function sourcesOf(
  tx: Transaction,
  tenantId: string,
  { sources, evidence }: Finding,
): Promise<string[]> {
  const { organizationId, reviewerId, fingerprint } = sources;
  const rows = await tx.query<{ recordId: string }>(sql`
    SELECT record_id AS "recordId" FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND created_ms > ${evidence.window.from}::bigint
      AND created_ms <= ${evidence.window.to}::bigint
      ${organizationId === undefined ? empty : sql`AND organization_id = ${organizationId}`}
      ${reviewerId === undefined ? empty : sql`AND reviewer_id = ${reviewerId}`}
      ${fingerprint === undefined ? empty : sql`AND fingerprint = ${fingerprint}::bigint`}
    ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC
    LIMIT ${MAX_SOURCES}`);
  return rows.map(({ recordId }) => recordId);
}
