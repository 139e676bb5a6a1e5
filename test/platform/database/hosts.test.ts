import { describe, expect, it } from 'vitest';
import { type Database, sql } from '../../../src/platform/database/database.ts';
import {
  databaseUrlProblem,
  HostRotation,
  hostUrls,
  preferWritableHost,
} from '../../../src/platform/database/hosts.ts';
import { openDatabase } from '../../support/database-client.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { createNetwork, type Network } from '../../support/network.ts';
import { createDatabase } from '../../support/server.ts';

const hostOf = ({ url }: Network) => new URL(url).host;
const several = (...hosts: string[]) => {
  const { host, protocol, href } = new URL(direct);
  return href.replace(`${protocol}//`, 'postgresql://').replace(host, hosts.join(','));
};

/** One database with two addresses, which the tests can cut. */
const direct = await createDatabase();
const one = await createNetwork(direct);
const two = await createNetwork(direct);

const answer = (db: Database) => db.query<{ two: number }>(sql`SELECT 1 + 1 AS two`);

it('the host that accepts writes is preferred', async () => {
  const away = `127.0.0.1:${await freePort()}`;
  const url = await preferWritableHost(several(away, hostOf(one)));
  expect(url).toBe(several(hostOf(one), away));
  expect(await answer(openDatabase(url))).toEqual([{ two: 2 }]);
});

it('connections go to the next host when one fails', async () => {
  const db = openDatabase(several(hostOf(one), hostOf(two)));
  await answer(db);
  one.cut();
  await eventually(async () => expect(await answer(db)).toEqual([{ two: 2 }]));
  two.cut();
  one.mend();
  await eventually(async () => expect(await answer(db)).toEqual([{ two: 2 }]));
  two.mend();
});

const SEVERAL =
  'postgresql://user:p%40ss@one:5432,[::1]:5433/name?sslmode=require&target_session_attrs=read-write';

describe('a database URL with several hosts', () => {
  it('is split into one URL for each host, in the form that the driver takes', () => {
    expect(hostUrls(SEVERAL)).toEqual([
      'postgresql://user:p%40ss@one:5432/name?sslmode=require',
      'postgresql://user:p%40ss@[::1]:5433/name?sslmode=require',
    ]);
    expect(hostUrls('postgres:///name?host=/run')).toEqual(['postgres:///name?host=/run']);
  });

  it.each([
    [SEVERAL, undefined],
    ['postgres://one,two/name', undefined],
    ['postgres://one:5432,two:x/name', /must be a URL/],
    ['mysql://one/name', /must be a URL/],
    ['postgres://a,b/n?target_session_attrs=standby', /target_session_attrs=read-write/],
  ])('is refused with a wrong port, protocol or target_session_attrs: %s', (url, problem) => {
    expect(databaseUrlProblem(url)).toEqual(problem && expect.stringMatching(problem));
  });

  it('moves on to the next host once, however often the same host is reported as failed', () => {
    const [one = '', two = ''] = hostUrls(SEVERAL);
    const rotation = new HostRotation(SEVERAL);
    rotation.leave(one);
    rotation.leave(one);
    expect(rotation.url).toBe(two);
    rotation.leave(two);
    expect(rotation.url).toBe(one);
  });
});
