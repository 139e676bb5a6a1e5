import { invalidArgument } from '../../platform/errors.ts';
import type { ResourceRef } from './places.ts';

/** INVALID_ARGUMENT (organization_not_found, folder_not_found, document_not_found). */
export function placeNotFound(type: ResourceRef['type'], id?: string) {
  const which = id === undefined ? type : `${type} ${id}`;
  return invalidArgument(`The ${which} does not exist. Add it first: ${type}s.add.`, {
    reason: `${type}_not_found`,
  });
}

/** The same reasons, for a resource that a background job is deleting. */
export const placeBeingDeleted = (type: ResourceRef['type'], id: string) =>
  invalidArgument(`The ${type} ${id} is being deleted.`, { reason: `${type}_not_found` });
