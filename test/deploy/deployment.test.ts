import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, SETTINGS } from '../../src/config.ts';
import type { Loose } from '../support/answers.ts';

/** Images and manifests are not run here. What they say must agree with the service. */

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

/** Variables that the settings do not know, since Node.js reads them. */
const OF_NODE = ['NODE_COMPILE_CACHE'];
const SECRETS = { SECRET_KEY: Buffer.alloc(32).toString('base64'), ADMIN_TOKEN: 'x'.repeat(16) };
const PATHS = ['/healthz', '/readyz'];

const dockerfile = read('Dockerfile');
const compose = parse(read('compose.yaml'), { merge: true });
const manifests = ['migrate', 'backend', 'service'].flatMap((name) =>
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS();
  }),
);
const settingsFile = Object.fromEntries(
  read('deploy/kubernetes/settings.env')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('=') as [string, string]),
);
const manifestOf = (kind: string) => manifests.find((one) => one.kind === kind);
const containerOf = (kind: string) => manifestOf(kind).spec.template.spec.containers[0];

const unknown = (names: string[]) =>
  names.filter((name) => !SETTINGS.includes(name) && !OF_NODE.includes(name));

describe('the Dockerfile', () => {
  const settings = Object.fromEntries(
    [...(/^ENV ([\s\S]*?)\n(?! {2})/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

  it('sets what the service reads, and listens where it says', () => {
    expect(unknown(Object.keys(settings))).toEqual([]);
    const config = readConfig({ ...settings, ...SECRETS });
    expect(config).toMatchObject({ production: true, host: '0.0.0.0', dataDir: '/data' });
    expect(dockerfile).toContain(`EXPOSE ${config.port}`);
    expect(dockerfile).toContain(`VOLUME ${config.dataDir}`);
  });

  it('has the Node.js that the project has, and does not run as root', () => {
    const { node } = JSON.parse(read('package.json')).dependencies;
    expect(dockerfile).toContain(`FROM node:${node}-bookworm-slim`);
    expect(/^USER (\d+)/m.exec(dockerfile)?.[1]).not.toBe('0');
  });

  it('copies and runs files that exist, which its context has', () => {
    const ignored = read('.dockerignore');
    for (const [, file = ''] of dockerfile.matchAll(/\b((?:deploy|src)\/[\w./-]+\.(?:ts|sh))/g)) {
      expect([file, existsSync(path.join(ROOT, file))]).toEqual([file, true]);
      expect(ignored).toMatch(file.startsWith('src/') ? /^!src$/m : /^!deploy\//m);
    }
  });
});

describe('compose.yaml', () => {
  const backends = Object.entries<Loose>(compose.services).filter(([name]) =>
    name.startsWith('backend-'),
  );

  it('has three processes with settings that the service takes', () => {
    expect(backends).toHaveLength(3);
    for (const [, { environment }] of backends) {
      expect(unknown(Object.keys(environment))).toEqual([]);
      const filled = Object.entries<string>(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+)[^}]*\}/g, (_all, variable) => GIVEN[variable] ?? ''),
      ]);
      const config = readConfig({ NODE_ENV: 'production', ...Object.fromEntries(filled) });
      expect(config.shutdownDelayMs).toBeGreaterThan(0);
    }
  });

  it('names them all in the proxy, with a path that says whether they are ready', () => {
    const caddyfile = read('deploy/Caddyfile');
    const port = /^EXPOSE (\d+)/m.exec(dockerfile)?.[1];
    for (const [name] of backends) expect(caddyfile).toContain(`${name}:${port}`);
    expect(PATHS).toContain(/health_uri (\S+)/.exec(caddyfile)?.[1]);
  });

  it('migrates before they start', () => {
    expect(compose.services.migrate.command).toEqual(['collaboration', 'migrate']);
    const migrate = { condition: 'service_completed_successfully' };
    for (const [, { depends_on }] of backends) expect(depends_on).toMatchObject({ migrate });
  });
});

const GIVEN: Record<string, string> = {
  ...SECRETS,
  DOMAIN: 'collaboration.example.com',
  POSTGRES_PASSWORD: 'secret',
};

describe('the Kubernetes manifests', () => {
  it('have settings that the service takes', () => {
    expect(unknown(Object.keys(settingsFile))).toEqual([]);
    expect(() => readConfig({ ...settingsFile, ...SECRETS })).not.toThrow();
  });

  it('probe paths that exist, at ports on which the service listens', () => {
    const { ports, startupProbe, readinessProbe, livenessProbe } = containerOf('Deployment');
    const byName = Object.fromEntries(
      ports.map(({ name, containerPort }: Loose) => [name, containerPort]),
    );
    expect(byName).toEqual({
      http: Number(/^EXPOSE (\d+)/m.exec(dockerfile)?.[1]),
      metrics: Number(settingsFile.METRICS_PORT),
    });
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
      expect(PATHS).toContain(httpGet.path);
      expect(Object.keys(byName)).toContain(httpGet.port);
    }
    // A database that is away must take processes out of service, and must not restart them.
    expect(readinessProbe.httpGet.path).toBe('/readyz');
    expect(livenessProbe.httpGet.path).toBe('/healthz');
  });

  it('select the same processes everywhere, and let each end in order', () => {
    const { terminationGracePeriodSeconds: grace } = manifestOf('Deployment').spec.template.spec;
    // STOP_DEADLINE_MS in main.ts, after the delay.
    expect(grace).toBeGreaterThan(Number(settingsFile.SHUTDOWN_DELAY_SECONDS) + 10);
    const { selector, template } = manifestOf('Deployment').spec;
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(manifestOf('Service').spec.selector).toEqual(selector.matchLabels);
    expect(manifestOf('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1, selector });
  });

  it('run the image as its own user, and read it only', () => {
    const user = Number(/^USER (\d+)/m.exec(dockerfile)?.[1]);
    for (const kind of ['Deployment', 'Job']) {
      const { spec } = manifestOf(kind).spec.template;
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user });
      expect(containerOf(kind).securityContext.readOnlyRootFilesystem).toBe(true);
      const mounts = [{ mountPath: '/data' }, { mountPath: '/tmp' }];
      expect(containerOf(kind).volumeMounts).toMatchObject(mounts);
    }
  });
});

it('the script that trims node_modules is a valid shell script', () => {
  execFileSync('sh', ['-n', path.join(ROOT, 'deploy/trim-modules.sh')]);
});
