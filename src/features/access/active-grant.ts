import { type Clock, unixSeconds } from '../../platform/clock.ts';
import { type Sql, sql } from '../../platform/database/database.ts';
import { type NamedPlace, resourceOf } from './places.ts';

/**
 * SQL: whether a row of `grants` has not expired, as `isActive` decides in TypeScript.
 *
 * @param grant the name that the statement gives the row, e.g. sql`g`
 */
export const isActiveGrant = (grant: Sql, clock: Clock): Sql =>
  sql`(${grant}.expires_at IS NULL OR ${grant}.expires_at > ${unixSeconds(clock)})`;

/** SQL: whether a row of `grants` is on the named resource. The tenant is compared separately. */
export function isGrantOn(grant: Sql, place: NamedPlace): Sql {
  const { type, id } = resourceOf(place);
  return sql`(${grant}.organization_id = ${place.organizationId}
    AND ${grant}.resource_type = ${type} AND ${grant}.resource_id = ${id})`;
}
