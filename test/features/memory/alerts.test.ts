import { beforeEach, describe, expect, it } from 'vitest';
import { checkJudgments } from '../../../src/features/memory/alerts/check-judgments.ts';
import { sql } from '../../../src/platform/database/database.ts';
import { dataOf, failureOf, fresh } from '../../support/answers.ts';
import { allEvents } from '../../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { memoryOf } from '../../support/memory.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const START = 1_800_000_000_000;
const DAY = 86_400_000;

let now = START;
const server = await startTestServer({}, { clock: { now: () => now } });

/** Each test has its own key, because alerts are computed over a whole key. */
async function newMemory() {
  const headers = await createTenant(server);
  const memory = memoryOf(server, headers);
  const configure = (config: object) => memory.call('alerts/config/update', config);
  return { ...memory, headers, configure, key: headers['x-svc-api-key'] };
}
let memory: Awaited<ReturnType<typeof newMemory>>;
beforeEach(async () => {
  memory = await newMemory();
});

const times = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Judgments about different items of this age, of which `approved` are approved. */
const judged = (count: number, approved: number, daysAgo: number, more: object = {}) =>
  times(count, (n) => ({
    query: fresh('item'),
    decision: n < approved ? 'approved' : 'rejected',
    reviewer: { userId: `reviewer-${(n + daysAgo) % 4}` },
    createdAt: now - daysAgo * DAY - n,
    ...more,
  }));

const withoutWords = (query: string, n: number) => judged(12, n === 0 ? 12 : 0, 0, { query });

/** 30 usual days of 10 judgments, 8 of them approved, and then the given last week. */
const usual = (lastWeek: (daysAgo: number) => object[]) =>
  times(37, (daysAgo) => (daysAgo < 7 ? lastWeek(daysAgo) : judged(10, 8, daysAgo))).flat();

/** Runs what the worker runs every minute. */
const check = () => checkJudgments(server.app.services);

const alertTypes = async () =>
  (await memory.alerts()).map(({ alertType }: { alertType: string }) => alertType);

describe('alerts about judgments', () => {
  it('report a drift of the approval rate once, with its evidence, in the list and as an event', async () => {
    const all = usual((daysAgo) => judged(10, 4, daysAgo));
    const ids = await memory.add(all);
    expect((await memory.call('alerts/list', {})).body).toEqual({ result: [] });
    // Several processes may check at the same time.
    await Promise.all([check(), check(), check(), check()]);
    const { status, body } = await memory.call('alerts/list', {});
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['result']);
    const [alert, ...others] = body.result;
    expect(others).toEqual([]);
    expect(alert).toEqual({
      id: expect.any(String),
      apiKey: memory.key,
      alertType: 'approval-rate-drift',
      severity: 'high',
      title: 'The approval rate fell from 80 % to 40 %',
      description: expect.stringContaining('28 of 70'),
      evidence: {
        metric: 'approval-rate',
        baseline: { approved: 240, decided: 300, rate: 0.8 },
        current: { approved: 28, decided: 70, rate: 0.4 },
        window: { from: now - 7 * DAY, to: now },
        sourceRecordIds: expect.any(Array),
        pValue: expect.any(Number),
      },
      suggestedAction: expect.any(String),
      actionUrl: null,
      status: 'active',
      createdAt: now,
      dismissedAt: null,
      dismissedBy: null,
    });
    expect(alert.evidence.sourceRecordIds).toHaveLength(20);
    expect(ids).toEqual(expect.arrayContaining(alert.evidence.sourceRecordIds));
    const events = await allEvents(server, { types: ['memory.alert'] }, memory.headers);
    expect(events.map(({ data }) => data)).toEqual([alert]);
  });

  it.each<[when: string, judgments: () => object[]]>([
    ['nothing changed', () => usual((daysAgo) => judged(10, daysAgo % 2 ? 7 : 9, daysAgo))],
    ['there is too little evidence', () => [...judged(10, 10, 20), ...judged(8, 0, 1)]],
    ['texts have no words, and so are different items', () => ['👍', '!!!'].flatMap(withoutWords)],
  ])('are absent when %s', async (_when, judgments) => {
    await memory.add(judgments());
    await check();
    expect(await memory.alerts()).toEqual([]);
  });

  it('report a reviewer who deviates from the others in the same organizations', async () => {
    const strict = { organizationId: 'acme', reviewer: { userId: 'eve' } };
    await memory.add([
      ...judged(60, 50, 15, { organizationId: 'acme' }),
      ...judged(30, 5, 10, strict),
      // Bob is strict as well, but so is everybody in his organization.
      ...judged(60, 10, 15, { organizationId: 'globex' }),
      ...judged(30, 5, 10, { organizationId: 'globex', reviewer: { userId: 'bob' } }),
    ]);
    await check();
    const alerts = await memory.alerts();
    const divergent = alerts.filter(({ alertType }) => alertType === 'reviewer-divergence');
    expect(divergent.map(({ evidence }) => evidence.reviewerId)).toEqual(['eve']);
    expect(divergent[0].severity).toBe('high');
  });

  it('report near-identical items with opposite decisions', async () => {
    const same = ['Refund the shipping costs', 'refund of shipping cost!', 'SHIPPING cost: refund'];
    const opposite = judged(12, 6, 5).map((one, n) => ({ ...one, query: same[n % 3] }));
    const ids = await memory.add([...opposite, ...judged(20, 16, 5)]);
    await check();
    const [alert] = await memory.alerts();
    expect(alert).toMatchObject({
      alertType: 'conflicting-decisions',
      evidence: { current: { approved: 6, rejected: 6 } },
    });
    expect(new Set(alert.evidence.sourceRecordIds)).toEqual(new Set(ids.slice(0, 12)));
  });

  it.each([
    ['more', 35, 'More'],
    ['less', 2, 'Fewer'],
  ])('report an unusual volume: %s', async (_what, perDay, word) => {
    await memory.add(usual((daysAgo) => judged(perDay, Math.round(perDay * 0.8), daysAgo)));
    await check();
    const [alert] = await memory.alerts();
    expect(alert).toMatchObject({
      alertType: 'unusual-volume',
      title: expect.stringContaining(word),
    });
    expect(alert.evidence).toMatchObject({
      baseline: { judgments: 70 },
      current: { judgments: perDay * 7 },
    });
  });

  it('report a precedent that nobody follows any more', async () => {
    const query = 'Work from abroad for a month';
    await memory.add([
      ...judged(20, 19, 90, { query }),
      ...judged(6, 0, 10, { query }),
      ...judged(30, 15, 90),
    ]);
    await check();
    expect(await alertTypes()).toEqual(['abandoned-precedent']);
  });
});

describe('alerts are created', () => {
  it('once for a finding, however long it lasts, and again a month after it was dismissed', async () => {
    const query = 'Work from abroad for a month';
    const again = async () => {
      await memory.add(judged(8, 4, 0, { query }));
      now += DAY;
      await check();
      return memory.alerts();
    };
    const [first] = await again();
    expect(first.alertType).toBe('conflicting-decisions');
    for (let day = 0; day < 3; day++) expect(await again()).toHaveLength(1);
    dataOf(await memory.call('alerts/dismiss', { alertId: first.id }));
    expect(await again()).toEqual([]);
    now += 31 * DAY;
    const [second] = await again();
    expect(second.id).not.toBe(first.id);
  });

  it('up to a weekly limit by severity, and the others in later weeks', async () => {
    dataOf(await memory.configure({ maxAlertsPerWeek: 2 }));
    const items = [12, 10, 8, 7].map((minority) =>
      judged(24, minority, 0, { query: fresh('item') }),
    );
    await memory.add(items.flat());
    now += 1;
    await check();
    const first = await memory.alerts();
    expect(first.map(({ evidence }) => evidence.current.approved).toSorted()).toEqual([10, 12]);
    now += DAY;
    await check();
    expect(await memory.alerts()).toHaveLength(2);
    now += 7 * DAY;
    await check();
    const minorities = (await memory.alerts()).map(({ evidence }) => evidence.current.approved);
    expect(minorities).toEqual(expect.arrayContaining([7, 8]));
  });

  it('once a day at most', async () => {
    await memory.add(judged(30, 24, 5));
    await check();
    await memory.add(conflicting());
    now += DAY / 2;
    await check();
    expect(await memory.alerts()).toEqual([]);
    now += DAY / 2;
    await check();
    expect(await alertTypes()).toEqual(['conflicting-decisions']);
  });
});

it('alerts about deleted judgments are deleted with the organization', async () => {
  const organizations = [{ organizationId: 'acme' }];
  dataOf(await server.call('/v2/organizations/add', { organizations }, memory.headers));
  const about = { query: 'Refund the shipping costs', organizationId: 'acme' };
  await memory.add(judged(12, 6, 0, about));
  await check();
  expect(await alertTypes()).toEqual(['conflicting-decisions']);
  const organizationIds = ['acme'];
  dataOf(await server.call('/v2/organizations/delete', { organizationIds }, memory.headers));
  await eventually(async () => expect(await memory.alerts()).toEqual([]));
});

const conflicting = () => judged(12, 6, 0, { query: 'The same again' });

describe('the configuration of alerts', () => {
  it('has defaults, and accepts the given fields', async () => {
    const get = async () => dataOf(await memory.call('alerts/config/get', {}));
    const defaults = await get();
    expect(defaults).toMatchObject({
      enabled: true,
      maxAlertsPerWeek: 3,
      severityThreshold: 'low',
    });
    expect(defaults.enabledAlertTypes).toHaveLength(5);
    const changed = { ...defaults, severityThreshold: 'high' };
    expect(dataOf(await memory.configure({ severityThreshold: 'high' }))).toEqual(changed);
    const none = { ...changed, enabledAlertTypes: [] };
    expect(dataOf(await memory.configure({ enabledAlertTypes: [] }))).toEqual(none);
    expect(await get()).toEqual(none);
    expect(failureOf(await memory.configure({})).status).toBe('INVALID_ARGUMENT');
    expect(await get()).toEqual(none);
  });

  it('applies to the next check', async () => {
    const usual = dataOf(await memory.call('alerts/config/get', {}));
    await memory.add([...conflicting(), ...judged(16, 4, 0, { query: 'Something else' })]);
    const severitiesWith = async (config: object) => {
      dataOf(await memory.configure({ ...usual, ...config }));
      await check();
      now += DAY;
      return (await memory.alerts()).map(({ severity }) => severity);
    };
    expect(await severitiesWith({ enabled: false })).toEqual([]);
    expect(await severitiesWith({ maxAlertsPerWeek: 0 })).toEqual([]);
    expect(await severitiesWith({ enabledAlertTypes: ['unusual-volume'] })).toEqual([]);
    expect(await severitiesWith({ severityThreshold: 'high' })).toEqual(['high']);
  });
});

it('dismissing an alert removes it from the list, and records the first time and user', async () => {
  await memory.add(conflicting());
  await check();
  const [{ id: alertId }] = await memory.alerts();
  const user = { userId: 'ada', name: 'Ada' };
  const dismiss = (data: object) => memory.call('alerts/dismiss', { alertId, ...data });
  const dismissedAt = now;
  expect(dataOf(await dismiss({ user }))).toEqual({ success: true });
  now += 5;
  expect(dataOf(await dismiss({ user: { userId: 'grace' } }))).toEqual({ success: true });
  expect(await memory.alerts()).toEqual([]);
  const [kept] = await server.app.services.db.query<object>(sql`
      SELECT status, dismissed_by AS "dismissedBy", dismissed_ms::float AS "dismissedMs"
      FROM memory_alerts WHERE tenant_id = ${memory.key ?? ''} AND alert_id = ${alertId}`);
  expect(kept).toEqual({ status: 'dismissed', dismissedBy: user, dismissedMs: dismissedAt });
});
