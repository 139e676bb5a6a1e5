/**
 * Returns the caller's id of a location: `locationId`, or else `location.locationId`, `location.id` or
 * `location.version.id` (specification 2.11).
 */
export function locationIdOf(fields: {
  locationId?: string | number | undefined;
  location?: Record<string, unknown> | undefined;
}): string | number | undefined {
  if (fields.locationId !== undefined) return fields.locationId;
  const { location } = fields;
  const version = location?.version as { id?: unknown } | null | undefined;
  return [location?.locationId, location?.id, version?.id].find(isLocationId);
}

const isLocationId = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= 256);
