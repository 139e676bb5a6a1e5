import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestServer } from '../../support/server.ts';

const FOLDER = path.join(import.meta.dirname, '../../../docs/operating');
const read = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');

interface Alert {
  alert: string;
  expr: string;
}
const rules = parse(read('prometheus-rules.yml')) as { groups: Array<{ rules: Alert[] }> };
const alerts = rules.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: Array<{ title: string; targets: Array<{ expr: string }> }>;
};
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
);

const WORDS = new Set(['by', 'or', 'le', 'and', 'unless']);

/** The metrics that an expression names. Other names are functions, labels and texts. */
function metricsIn(expr: string): string[] {
  const plain = expr
    .replaceAll(/\{[^}]*\}|"[^"]*"|\[[^\]]*\]/g, ' ')
    .replaceAll(/\bby\s*\([^)]*\)/g, ' ');
  return [...plain.matchAll(/\b[a-z_]\w*\b(?!\s*\()/g)]
    .map(([name]) => name)
    .filter((name) => !WORDS.has(name));
}

/** A metric that Prometheus adds itself. */
const OF_PROMETHEUS = 'up';
const server = await startTestServer();
const metrics = await (await fetch(`${server.url}/metrics`)).text();
const typed = [...metrics.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
const names = new Set(
  typed.flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);
names.add(OF_PROMETHEUS);

describe('alerts and the panels of the dashboard', () => {
  it.each([...alerts.map(({ alert, expr }): [string, string] => [alert, expr]), ...panels])(
    'use only metrics and queues that exist: %s',
    (_title, expr) => {
      const used = metricsIn(expr);
      expect(used.length).toBeGreaterThan(0);
      expect(used.filter((name) => !names.has(name))).toEqual([]);
      const queues = [...expr.matchAll(/queue="([^"]+)"/g)].map((match) => match[1]);
      expect(server.app.services.backlog.names).toEqual(expect.arrayContaining(queues));
    },
  );

  it('that count every increase of a counter find it at 0 from the start', () => {
    const once = alerts.filter(({ expr }) => expr.includes('increase('));
    for (const name of once.flatMap(({ expr }) => metricsIn(expr))) {
      expect(metrics).toMatch(new RegExp(`^${name}(\\{.*\\})? 0$`, 'm'));
    }
    expect(once.length).toBeGreaterThan(0);
  });
});

it('each alert has a section that says what to do, and no other has', () => {
  const sections = read('alerts.md').split(/^## /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(
    alerts.map(({ alert }) => alert),
  );
  for (const section of sections) expect(section).toMatch(/^- \w/m);
});
