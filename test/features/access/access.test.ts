import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Access,
  decideAccess,
  decideOrganizationAccess,
  effectiveType,
  type Grant,
  type ResourcePath,
} from '../../../src/features/access/access.ts';

const NOW = 1_800_000_000;

const role = fc.constantFrom('viewer' as const, 'editor' as const);
const type = fc.constantFrom(
  'public' as const,
  'organizationPrivate' as const,
  'restricted' as const,
);
const grantThatEnds = (expiresAt: fc.Arbitrary<number | null>): fc.Arbitrary<Grant> =>
  fc.record({ accessRole: role, expiresAt, context: fc.constant(null) });
const counting = grantThatEnds(fc.oneof(fc.constant(null), fc.integer({ min: NOW + 1 })));
const expired = grantThatEnds(fc.integer({ min: 1, max: NOW }));
const maybe = <T>(grant: fc.Arbitrary<T>) => fc.option(grant, { nil: undefined });
const anyGrant = maybe(fc.oneof(counting, expired));
const path: fc.Arbitrary<ResourcePath> = fc.record({
  accessType: type,
  grants: fc.array(anyGrant, { minLength: 1, maxLength: 6 }),
  organizationGrant: anyGrant,
});

const grant = (accessRole: 'viewer' | 'editor', expiresAt: number | null = null): Grant => ({
  accessRole,
  expiresAt,
  context: null,
});
const roleOf = (access: Access) => (access.allowed ? access.accessRole : 'denied');

describe('access to a document or folder', () => {
  it.each([
    ['public', 'viewer'],
    ['organizationPrivate', 'denied'],
    ['restricted', 'denied'],
  ] as const)('without a grant, on a %s one: %s', (accessType, expected) => {
    const access = decideAccess(
      { accessType, grants: [undefined], organizationGrant: undefined },
      NOW,
    );
    expect(roleOf(access)).toBe(expected);
  });

  it.each([
    ['public', 'editor'],
    ['organizationPrivate', 'editor'],
    ['restricted', 'denied'],
  ] as const)('by a grant on the organization alone, on a %s one: %s', (accessType, expected) => {
    const access = decideAccess(
      { accessType, grants: [undefined], organizationGrant: grant('editor') },
      NOW,
    );
    expect(roleOf(access)).toBe(expected);
  });

  it('is decided by the nearest grant, be it the lesser one', () => {
    fc.assert(
      fc.property(path, counting, fc.nat(), (given, nearest, position) => {
        const at = position % given.grants.length;
        const grants = given.grants.map((own, index) => (index < at ? undefined : own));
        const access = decideAccess({ ...given, grants: grants.with(at, nearest) }, NOW);
        expect(access).toMatchObject({
          allowed: true,
          accessRole: nearest.accessRole,
          grant: nearest,
        });
      }),
    );
  });

  it('is never revoked by another grant', () => {
    fc.assert(
      fc.property(path, counting, fc.nat(), (given, more, position) => {
        const at = position % given.grants.length;
        const withMore = decideAccess({ ...given, grants: given.grants.with(at, more) }, NOW);
        const onOrganization = decideAccess({ ...given, organizationGrant: more }, NOW);
        const before = decideAccess(given, NOW);
        expect(withMore.allowed).toBe(true);
        if (before.allowed) expect(onOrganization.allowed).toBe(true);
      }),
    );
  });

  it('is the same for an expired grant as for none', () => {
    const dropExpired = (own: Grant | undefined) =>
      own?.expiresAt != null && own.expiresAt <= NOW ? undefined : own;
    fc.assert(
      fc.property(path, (given) => {
        const without = {
          ...given,
          grants: given.grants.map(dropExpired),
          organizationGrant: dropExpired(given.organizationGrant),
        };
        expect(decideAccess(given, NOW)).toEqual(decideAccess(without, NOW));
      }),
    );
  });

  it('ends with the second in which the grant ends', () => {
    const ends = { accessType: 'restricted', organizationGrant: undefined } as const;
    const until = (now: number) => decideAccess({ ...ends, grants: [grant('editor', NOW)] }, now);
    expect(until(NOW - 1).allowed).toBe(true);
    expect(until(NOW).allowed).toBe(false);
    expect(until(NOW + 1).allowed).toBe(false);
  });

  it('names the access type, allowed or denied', () => {
    fc.assert(
      fc.property(path, (given) => {
        expect(decideAccess(given, NOW).accessType).toBe(given.accessType);
      }),
    );
  });
});

describe('access to an organization', () => {
  it('comes only from an active grant on it', () => {
    fc.assert(
      fc.property(counting, expired, (valid, ended) => {
        expect(decideOrganizationAccess(valid, NOW)).toMatchObject({
          accessRole: valid.accessRole,
        });
        for (const none of [ended, undefined]) {
          const denied = { allowed: false, accessType: 'organizationPrivate' };
          expect(decideOrganizationAccess(none, NOW)).toEqual(denied);
        }
      }),
    );
  });
});

describe('the access type of a folder', () => {
  const chain = fc.array(fc.record({ accessType: fc.option(type) }), { maxLength: 6 });

  it('is its own if set', () => {
    fc.assert(
      fc.property(type, chain, (accessType, above) => {
        expect(effectiveType([{ accessType }, ...above])).toBe(accessType);
      }),
    );
  });

  it('is that of its parent otherwise', () => {
    fc.assert(
      fc.property(chain, (above) => {
        expect(effectiveType([{ accessType: null }, ...above])).toBe(effectiveType(above));
      }),
    );
  });

  it('is public if no folder up to the root has one', () => {
    expect(effectiveType([{ accessType: null }, { accessType: null }])).toBe('public');
  });
});
