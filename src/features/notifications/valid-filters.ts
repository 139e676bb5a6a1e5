import { invalidArgument } from '../../platform/errors.ts';

/** The filters of a list of notifications, beside the organization. */
export interface NotificationFilters {
  documentId?: string | undefined;
  locationId?: string | number | undefined;
  userId?: string | undefined;
  notificationIds?: string[] | undefined;
}

/** All valid combinations of 4.23, each with its fields in alphabetical order. */
const VALID = new Set([
  'documentId',
  'documentId+notificationIds',
  'documentId+locationId',
  'documentId+locationId+notificationIds',
  'userId',
  'notificationIds+userId',
  'documentId+userId',
  'locationId+userId',
  'documentId+locationId+userId',
]);

/** @throws INVALID_ARGUMENT for any other combination. An empty list of ids counts as absent. */
export function requireValidCombination(filters: NotificationFilters): void {
  const { documentId, locationId, userId, notificationIds } = filters;
  const ids = notificationIds?.length ? notificationIds : undefined;
  const given = Object.entries({ documentId, locationId, notificationIds: ids, userId })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => field);
  if (VALID.has(given.join('+'))) return;
  const message = `The filters must be one of these combinations: ${[...VALID].join(', ')}.`;
  throw invalidArgument(message, { details: { issues: [{ path: '', message }] } });
}
