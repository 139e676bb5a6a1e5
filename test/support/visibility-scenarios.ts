import fc from 'fast-check';

/** Random access scenarios, and a second, independent implementation of the visibility rule. */

export const USERS = ['u0', 'u1', 'u2'] as const;
type User = (typeof USERS)[number];
const user = fc.constantFrom(...USERS);
const users = fc.subarray([...USERS]);

type Context = Record<string, string[]>;

const values = fc.subarray(['red', 'blue'], { minLength: 1 });
const context: fc.Arbitrary<Context | undefined> = fc.option(
  fc.dictionary(fc.constantFrom('team', 'level'), values, { minKeys: 1 }),
  { nil: undefined },
);

const type = fc.constantFrom('public', 'organizationPrivate', 'restricted');

/** Grants end before the first comparison, between the two comparisons, or never. */
const end = fc.constantFrom('before', 'between', 'never');

const place = fc.constantFrom('organization', 'other', 'outer', 'inner', 'filed', 'loose');
const grant = fc.record({
  userId: user,
  place,
  accessRole: fc.constantFrom('viewer', 'editor'),
  end,
  context,
});
type Grant = typeof grant extends fc.Arbitrary<infer Value> ? Value : never;

const visibility = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ type: 'public' as const }) },
  {
    weight: 2,
    arbitrary: users.map((userIds) => ({ type: 'restricted' as const, userIds })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('organization', 'other')
      .map((organization) => ({ type: 'organizationPrivate' as const, organization })),
  },
);
type Visibility = typeof visibility extends fc.Arbitrary<infer Value> ? Value : never;

const annotation = fc.record({
  document: fc.constantFrom('filed', 'loose'),
  author: fc.oneof(user, fc.constant('somebody')),
  visibility,
  context,
  mentioned: users,
  mentionsGroup: fc.boolean(),
  assignedTo: fc.option(user, { nil: undefined }),
  isByAgent: fc.boolean(),
  /** The visibility after the change. */
  later: fc.option(fc.record({ visibility, context }), { nil: undefined }),
});
export type Annotation = typeof annotation extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Document `filed` is in folder `inner`, which is in folder `outer`; document `loose` is in none.
 * `other` is another organization of the key.
 */
export const scenarios = fc.record({
  outerType: type,
  innerType: fc.option(type, { nil: undefined }),
  looseType: type,
  grants: fc.uniqueArray(grant, { selector: (one) => `${one.userId} ${one.place}`, maxLength: 9 }),
  group: fc.subarray([...USERS], { minLength: 1 }),
  annotations: fc.array(annotation, { minLength: 3, maxLength: 6 }),
});
export type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;

const PLACES = { filed: ['filed', 'inner', 'outer'], loose: ['loose'] };

export interface Moment {
  scenario: Scenario;
  /** Whether the grants that end between the comparisons have ended. */
  isLate: boolean;
  /** Whether the annotations have their later visibility. */
  isChanged: boolean;
}

const activeGrants = ({ scenario, isLate }: Moment, userId: string): Grant[] =>
  scenario.grants.filter(
    (one) => one.userId === userId && (one.end === 'never' || (one.end === 'between' && !isLate)),
  );

export function mayView(moment: Moment, document: 'filed' | 'loose', userId: string): boolean {
  const { outerType, innerType, looseType } = moment.scenario;
  const accessType = document === 'loose' ? looseType : (innerType ?? outerType);
  const grants = activeGrants(moment, userId);
  const isMember = grants.some((one) => one.place === 'organization');
  return (
    accessType === 'public' ||
    grants.some((one) => PLACES[document].includes(one.place)) ||
    (accessType === 'organizationPrivate' && isMember)
  );
}

export function mayViewFolder(moment: Moment, userId: string): boolean {
  const { outerType, innerType } = moment.scenario;
  const grants = activeGrants(moment, userId);
  const type = innerType ?? outerType;
  return (
    type === 'public' ||
    grants.some((one) => one.place === 'inner' || one.place === 'outer') ||
    (type === 'organizationPrivate' && grants.some((one) => one.place === 'organization'))
  );
}

/** The visibility rule as the contract states it. */
export function maySee(moment: Moment, one: Annotation, userId: string): boolean {
  const { visibility, context = {} } = (moment.isChanged && one.later) || one;
  const grants = activeGrants(moment, userId);
  const held = grants.filter(({ place }) =>
    ['organization', ...PLACES[one.document]].includes(place),
  );
  const holdsContext = Object.entries(context).every(([field, choices]) =>
    held.some((grant) => grant.context?.[field]?.some((value) => choices.includes(value))),
  );
  return (
    mayView(moment, one.document, userId) &&
    holdsContext &&
    (one.author === userId || includes(visibility, grants, userId))
  );
}

function includes(visibility: Visibility, grants: Grant[], userId: string): boolean {
  if (visibility.type === 'restricted') return visibility.userIds.includes(userId as User);
  if (visibility.type === 'public') return true;
  return grants.some(({ place }) => place === visibility.organization);
}

/** The audience of a new annotation: the mentioned, the members of the group, and the assigned. */
export function isInAudience({ group }: Scenario, one: Annotation, userId: string): boolean {
  const named: string[] = [...one.mentioned, ...(one.mentionsGroup ? group : [])];
  return userId !== one.author && (named.includes(userId) || one.assignedTo === userId);
}
