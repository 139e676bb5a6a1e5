import { expect, it } from 'vitest';
import { sourceFiles } from '../support/source-files.ts';

/**
 * Which feature may import which, in order of dependency. A feature imports only features above
 * its own row, and only those that its row lists. The table therefore has no cycles.
 */
const ALLOWED: Array<[feature: string, imports: string[]]> = [
  ['settings', []],
  ['quotas', []],
  ['events', []],
  ['access', []],
  ['directory', ['access']],
  ['users', ['access', 'directory']],
  ['user-groups', ['access', 'directory']],
  ['permissions', ['access', 'users']],
  ['presence', ['access', 'events', 'users']],
  ['attachments', ['access', 'directory']],
  ['recordings', ['access', 'attachments', 'directory', 'users']],
  ['activity', ['access', 'directory', 'settings']],
  ['models', ['settings']],
  ['rewriter', ['models']],
  ['api-keys', ['models', 'settings']],
  ['workspaces', ['api-keys']],
  ['crdt', ['access', 'directory']],
  ['memory', ['access']],
  ['comments', ['access', 'attachments', 'crdt', 'directory', 'events', 'permissions', 'users']],
  [
    'notifications',
    ['access', 'comments', 'directory', 'events', 'permissions', 'settings', 'users'],
  ],
  ['webhooks', ['events', 'notifications', 'settings', 'users']],
  ['email', ['comments', 'notifications', 'settings']],
  ['erasure', ['access', 'users']],
  ['transfer', ['attachments', 'directory', 'events']],
  ['user-data', ['access', 'attachments', 'comments', 'directory', 'notifications', 'recordings']],
];

/** The folder of a file in `features/`, or undefined for the files beside `index.ts`. */
const featureOf = (path: string): string | undefined => /^features\/([^/]+)\//.exec(path)?.[1];

const imported = sourceFiles().flatMap(({ path, imports }) => {
  const from = featureOf(path);
  return imports
    .filter((to) => from !== undefined && to.startsWith('features/'))
    .filter((to) => featureOf(to) !== from)
    .map((to) => ({ from, to: featureOf(to), where: `${path} -> ${to}` }));
});

it('features import what the table allows, and no more', () => {
  const allowed = new Map(ALLOWED);
  const forbidden = imported.filter(({ from = '', to = '' }) => !allowed.get(from)?.includes(to));
  expect(forbidden.map(({ where }) => where)).toEqual([]);
  const used = new Set(imported.map(({ from, to }) => `${from} -> ${to}`));
  const pairs = ALLOWED.flatMap(([feature, imports]) => imports.map((to) => `${feature} -> ${to}`));
  expect(pairs.filter((pair) => !used.has(pair))).toEqual([]);
});
