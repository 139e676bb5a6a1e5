import { expect, it } from 'vitest';
import { seedDemo } from '../../examples/demo/seed-demo.ts';
import { createServerClient } from '../../src/client/server.ts';
import { checkJudgments } from '../../src/features/memory/alerts/check-judgments.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer } from '../support/server.ts';

const ORGANIZATIONS = ['meridian-instruments', 'larkfield-legal', 'castell-studio'];
const ANNOTATIONS = 150;
let steps: string[];

const server = await startTestServer({ OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
const { url, databaseUrl, quickstart } = server;
const { apiKey, authToken } = quickstart;
const client = createServerClient({ url, apiKey, authToken });

const seed = () => {
  steps = [];
  const onStep = (step: string) => steps.push(step);
  return seedDemo({ url, apiKey, authToken, databaseUrl, annotations: ANNOTATIONS, onStep });
};

expect(await seed()).toEqual({ existed: false, chainBroken: true });

it('the demo has forty people, all annotations in three organizations, and filled inboxes', async () => {
  const people = new Set<string>();
  let annotations = 0;
  for (const organizationId of ORGANIZATIONS) {
    const { data } = await client.users.get({ organizationId });
    for (const { userId } of data) people.add(userId);
    const counts = await client.commentAnnotations.count({ organizationId });
    for (const { total } of Object.values(counts)) annotations += total;
  }
  expect(people.size).toBe(40);
  expect(annotations).toBe(ANNOTATIONS);
  const person = { organizationId: 'castell-studio', userId: 'noah-petersen' };
  await eventually(async () => {
    expect((await client.notifications.unreadCount(person)).total).toBeGreaterThan(1);
  });
});

it('the demo holds what the memory reports: four kinds of alerts, and suggestions', async () => {
  await checkJudgments(server.app.services);
  const types = (await client.memory.alerts.list({})).map(({ alertType }) => alertType);
  expect([...new Set(types)].toSorted()).toEqual([
    'abandoned-precedent',
    'approval-rate-drift',
    'conflicting-decisions',
    'reviewer-divergence',
  ]);
  const query = 'The liability of the supplier for slight negligence is: unlimited';
  const { primary } = await client.memory.suggest({ query });
  expect(primary?.recommendation).toBe('reject');
});

it('the demo has one broken chain among intact ones', async () => {
  const verified = await Promise.all(
    ORGANIZATIONS.map((organizationId) => client.activities.verify({ organizationId })),
  );
  expect(verified.map(({ valid }) => valid)).toEqual([false, true, true]);
  expect(verified[0]?.problem).toMatchObject({ kind: 'changed', id: 'demo-payment-2' });
});

it('the demo has endpoints that receive, fail and are gone', async () => {
  const { endpoints } = await client.webhookEndpoints.get({});
  const byUid = Object.fromEntries(endpoints.map((one) => [one.uid, one]));
  const count = async (uid: string, status: 'delivered' | 'failed') => {
    const endpointId = byUid[uid]?.id ?? '';
    return (await client.webhookDeliveries.get({ endpointId, status })).deliveries.length;
  };
  expect(byUid['demo-gone']?.disabled).toBe(true);
  expect(await count('demo-archive', 'delivered')).toBeGreaterThan(0);
  expect(await count('demo-failing', 'failed')).toBeGreaterThan(0);
});

it('the demo is made once: a second run says that it is there', async () => {
  expect(await seed()).toEqual({ existed: true, chainBroken: false });
  expect(steps).toEqual([]);
});
