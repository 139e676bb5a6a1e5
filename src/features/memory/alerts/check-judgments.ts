import type { Services } from '../../../api/context.ts';
import {
  empty,
  type Queryable,
  sql,
  type Transaction,
} from '../../../platform/database/database.ts';
import { newId } from '../../../platform/ids.ts';
import { getAlertConfig } from './alert-config.ts';
import { alertEvent } from './alerts.ts';
import { DAY_MS, WEEK_DAYS } from './detect/detector.ts';
import { type Finding, findAll } from './detect/find-all.ts';
import { observe } from './observe.ts';
import { type PresentedAlert, severityOf } from './schema.ts';

type Context = Pick<Services, 'db' | 'clock' | 'events' | 'log'>;

/** How often a tenant's judgments are checked, and the pause after a failure. */
const INTERVAL_MS = DAY_MS;
const RETRY_MS = DAY_MS / 24;
/** How long the same finding raises no further alert; nor does it while its alert is active. */
const SILENT_DAYS = 30;
const MAX_SOURCES = 20;

/** Checks the judgments of every due tenant, one after the other. */
export async function checkJudgments(ctx: Context): Promise<void> {
  while (await checkNext(ctx));
}

/** Locks the tenant's row, so that only one process checks a tenant at a time. */
async function checkNext({ db, clock, events, log }: Context): Promise<boolean> {
  const now = clock.now();
  let checking: string | undefined;
  try {
    return await db.transaction(async (tx) => {
      const [watch] = await tx.query<{ tenantId: string }>(sql`
        SELECT tenant_id AS "tenantId" FROM memory_watches /* all tenants, background */
        WHERE due_ms <= ${now}::bigint ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED`);
      if (!watch) return false;
      checking = watch.tenantId;
      await tx.query(dueAt(checking, now + INTERVAL_MS));
      for (const finding of await newFindings(tx, checking, now)) {
        const alert = await insertAlert(tx, checking, finding, now);
        await events.append(tx, checking, [alertEvent(alert)]);
      }
      return true;
    });
  } catch (error) {
    if (checking === undefined) throw error;
    log.warn({ err: error, apiKey: checking }, 'Judgments could not be checked.');
    // Postpone this tenant, so that its failure does not keep the others waiting.
    await db.query(dueAt(checking, now + RETRY_MS));
    return true;
  }
}

const dueAt = (tenantId: string, dueMs: number) => sql`
  UPDATE memory_watches SET due_ms = ${dueMs}::bigint WHERE tenant_id = ${tenantId}`;

/** The gravest findings without an alert, as many as the tenant's settings allow this week. */
async function newFindings(db: Queryable, tenantId: string, now: number): Promise<Finding[]> {
  const config = await getAlertConfig({ db, tenantId });
  if (!config.enabled || config.maxAlertsPerWeek === 0) return [];
  const alerts = await db.query<{ alertType: string; subject: string; createdMs: number }>(sql`
    SELECT alert_type AS "alertType", subject, created_ms::float8 AS "createdMs" FROM memory_alerts
    WHERE tenant_id = ${tenantId}
      AND (status = 'active' OR created_ms > ${now - SILENT_DAYS * DAY_MS}::bigint)`);
  const thisWeek = alerts.filter(({ createdMs }) => createdMs > now - WEEK_DAYS * DAY_MS);
  const room = config.maxAlertsPerWeek - thisWeek.length;
  if (room <= 0) return [];
  const keyOf = (one: { alertType: string; subject: string }) => `${one.alertType} ${one.subject}`;
  const known = new Set(alerts.map(keyOf));
  return findAll(await observe(db, tenantId, now), config)
    .filter((finding) => !known.has(keyOf(finding)))
    .slice(0, room);
}

async function insertAlert(
  tx: Transaction,
  tenantId: string,
  finding: Finding,
  now: number,
): Promise<PresentedAlert> {
  const { about, evidence, gravity, subject, ...texts } = finding;
  const alert: PresentedAlert = {
    ...texts,
    id: newId(),
    apiKey: tenantId,
    severity: severityOf(gravity),
    evidence: { ...evidence, sourceRecordIds: await sourcesOf(tx, tenantId, finding) },
    actionUrl: null,
    status: 'active',
    createdAt: now,
    dismissedAt: null,
    dismissedBy: null,
  };
  await tx.query(sql`
    INSERT INTO memory_alerts (tenant_id, alert_id, alert_type, severity, subject, title,
      description, evidence, suggested_action, status, created_ms)
    VALUES (${tenantId}, ${alert.id}, ${alert.alertType}, ${gravity}, ${subject},
      ${alert.title}, ${alert.description}, ${JSON.stringify(alert.evidence)}::jsonb,
      ${texts.suggestedAction}, ${alert.status}, ${now}::bigint)`);
  return alert;
}

/** The newest judgments that a finding is based on. */
async function sourcesOf(db: Queryable, tenantId: string, finding: Finding): Promise<string[]> {
  const { organizationId, reviewerId, fingerprint } = finding.about;
  const { from, to } = finding.evidence.window;
  const rows = await db.query<{ recordId: string }>(sql`
    SELECT record_id AS "recordId" FROM memory_judgments
    WHERE tenant_id = ${tenantId} AND created_ms > ${from}::bigint AND created_ms <= ${to}::bigint
      ${organizationId === undefined ? empty : sql`AND organization_id = ${organizationId}`}
      ${reviewerId === undefined ? empty : sql`AND reviewer_id = ${reviewerId}`}
      ${fingerprint === undefined ? empty : sql`AND fingerprint = ${fingerprint}::bigint`}
    ORDER BY memory_judgments.created_ms DESC, memory_judgments.position DESC
    LIMIT ${MAX_SOURCES}`);
  return rows.map(({ recordId }) => recordId);
}
