import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { type DataDirectory, openDataDirectory } from '../../src/platform/data-directory.ts';
import { StartError } from '../../src/platform/start-error.ts';
import { eventually } from '../support/eventually.ts';
import { whenTestEnds } from '../support/when-file-ends.ts';

const MODULE = new URL('../../src/platform/data-directory.ts', import.meta.url).href;
let parent: string;
let path: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'data-directory-'));
  path = join(parent, 'data');
  whenTestEnds(() => rmSync(parent, { recursive: true }));
});

function open(): DataDirectory {
  const directory = openDataDirectory(path);
  whenTestEnds(() => directory.release());
  return directory;
}

/** Another process that opens the folder, reports the result, and then obeys commands. */
function openElsewhere(folder: string, { before = '', after = '' } = {}) {
  const script = `
    import { openDataDirectory } from '${MODULE}';
    ${before}
    try {
      openDataDirectory(${JSON.stringify(folder)});
      console.log('opened');
    } catch (error) {
      console.log(error.name + ': ' + error.message);
    }
    ${after}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  whenTestEnds(() => child.kill('SIGKILL'));
  return child;
}

describe('the lock of a data directory', () => {
  test('refuses a second opening, in this process and another, and names the folder', async () => {
    open();
    const answer = await text(openElsewhere(path).stdout);
    expect(answer).toContain(`StartError: DATA_DIR ${path} is in use by another process.`);
    expect(open).toThrow(StartError);
  });

  test('is released when its holder was killed', async () => {
    const holder = openElsewhere(path, { after: 'setInterval(() => {}, 1000);' });
    const [answer] = await once(holder.stdout, 'data');
    expect(String(answer)).toBe('opened\n');
    expect(open).toThrow('is in use');
    holder.kill('SIGKILL');
    await eventually(open);
  });
});

test('others can neither list the folder nor read a file in it, even after a backup widened permissions', () => {
  const directory = open();
  const modeOf = (name: string) => statSync(join(path, name)).mode & 0o777;
  expect(modeOf('') & 0o066).toBe(0);
  expect(modeOf('lock')).toBe(0o600);
  directory.secret('key', () => 'one');
  expect(modeOf('key')).toBe(0o600);
  chmodSync(join(path, 'key'), 0o644);
  directory.secret('key', () => 'one');
  expect(modeOf('key')).toBe(0o600);
  directory.writeSecretFile('quickstart.json', '{}');
  expect(modeOf('quickstart.json')).toBe(0o600);
});

test('a generated secret is created once, the same for every later process, and refused when it was emptied', () => {
  const first = open();
  expect(first.secret('key', () => 'one')).toEqual({ value: 'one', created: true });
  first.release();
  first.release();
  const second = open();
  expect(second.secret('key', () => 'two')).toEqual({ value: 'one', created: false });
  writeFileSync(join(path, 'key'), '');
  expect(() => second.secret('key', () => 'two')).toThrow(`${join(path, 'key')} is empty`);
});

describe('an unusable folder', () => {
  test('is named if it cannot be created', () => {
    writeFileSync(join(parent, 'file'), '');
    path = join(parent, 'file', 'data');
    expect(open).toThrow(`DATA_DIR ${path} cannot be created`);
  });

  test('is named if it is not writable', async () => {
    chmodSync(parent, 0o555);
    // Root may write anywhere, so the test runs as another user.
    const before = 'if (process.getuid() === 0) process.setuid(65534);';
    const answer = await text(openElsewhere(parent, { before }).stdout);
    expect(answer).toContain(`StartError: DATA_DIR ${parent} is not writable`);
  });
});
