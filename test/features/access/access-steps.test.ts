import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allows,
  type DecisionStep,
  decideAccess,
  decideOrganizationAccess,
  type Grant,
  type ResourcePath,
} from '../../../src/features/access/access.ts';

const NOW = 1_800_000_000;

const grant: fc.Arbitrary<Grant> = fc.record({
  accessRole: fc.constantFrom('viewer' as const, 'editor' as const),
  expiresAt: fc.oneof(
    fc.constant(null),
    fc.integer({ min: NOW + 1, max: NOW + 9 }),
    fc.integer({ min: NOW - 9, max: NOW }),
  ),
  context: fc.constant(null),
});
const maybe = fc.option(grant, { nil: undefined });
const path: fc.Arbitrary<ResourcePath> = fc.record({
  accessType: fc.constantFrom(
    'public' as const,
    'organizationPrivate' as const,
    'restricted' as const,
  ),
  grants: fc.array(maybe, { minLength: 1, maxLength: 6 }),
  organizationGrant: maybe,
});

const hasEnded = (own: Grant) => own.expiresAt !== null && own.expiresAt <= NOW;

/** The rules of decisions section 4, implemented independently of the code. */
function byTheBook({ accessType, grants, organizationGrant }: ResourcePath): string {
  const onResource = grants.flatMap((own) => (own && !hasEnded(own) ? [own] : []));
  if (onResource[0]) return onResource[0].accessRole;
  const isMember = organizationGrant !== undefined && !hasEnded(organizationGrant);
  if (isMember && accessType !== 'restricted') return organizationGrant.accessRole;
  return accessType === 'public' ? 'viewer' : 'denied';
}

function decide(given: ResourcePath) {
  const steps: DecisionStep[] = [];
  const access = decideAccess(given, NOW, (step) => steps.push(step));
  return { access, steps };
}

describe('an access decision', () => {
  it('follows the rules, with and without recorded steps', () => {
    fc.assert(
      fc.property(path, (given) => {
        const access = decideAccess(given, NOW);
        expect(access.allowed ? access.accessRole : 'denied').toBe(byTheBook(given));
        expect(decide(given).access).toEqual(access);
      }),
    );
  });
});

describe('its steps', () => {
  it('go from the nearest resource outwards, and end where it was decided', () => {
    fc.assert(
      fc.property(path, (given) => {
        const { access, steps } = decide(given);
        expect(steps.map((step) => step.position)).toEqual(steps.map((_, index) => index));
        const decided = steps.at(-1)?.verdict === 'decides';
        expect(decided).toBe(access.allowed && access.grant !== undefined);
        if (!decided) expect(steps).toHaveLength(given.grants.length + 1);
        expect(steps.slice(0, -1).map((step) => step.verdict)).not.toContain('decides');
      }),
    );
  });

  it('include the grant on each resource, and whether it decides', () => {
    fc.assert(
      fc.property(path, (given) => {
        for (const { position, grant: own, verdict } of decide(given).steps) {
          const isLast = position === given.grants.length;
          expect(own).toBe(isLast ? given.organizationGrant : given.grants[position]);
          if (!own) expect(verdict).toBe('absent');
          else if (hasEnded(own)) expect(verdict).toBe('expired');
          else
            expect(verdict).toBe(
              isLast && given.accessType === 'restricted' ? 'restricted' : 'decides',
            );
        }
      }),
    );
  });

  it('contain one step on an organization', () => {
    fc.assert(
      fc.property(maybe, (own) => {
        const steps: DecisionStep[] = [];
        const access = decideOrganizationAccess(own, NOW, (step) => steps.push(step));
        expect(steps).toHaveLength(1);
        expect(steps[0]?.verdict === 'decides').toBe(access.allowed);
      }),
    );
  });
});

describe('a required role', () => {
  it.each([
    ['viewer', 'viewer', true],
    ['viewer', 'editor', false],
    ['editor', 'viewer', true],
    ['editor', 'editor', true],
  ] as const)('%s is sufficient for %s: %s', (accessRole, role, expected) => {
    const own = { accessRole, expiresAt: null, context: null };
    expect(allows(decideOrganizationAccess(own, NOW), role)).toBe(expected);
  });

  it('is missing if access is denied, or if nothing exists', () => {
    expect(allows(decideOrganizationAccess(undefined, NOW), 'viewer')).toBe(false);
    expect(allows(undefined, 'viewer')).toBe(false);
  });
});
