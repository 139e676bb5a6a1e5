import type { PermissionsExplainInput } from '../../../../client/index.ts';
import type { OutputOf } from '../../api/client.ts';

export type Question = PermissionsExplainInput;

/** A place where a role can be given. */
export type Place = OutputOf<'console.directory.places'>['places'][number];

type PlaceRef = Pick<Place, 'type' | 'id'>;

export const isAt = (place: PlaceRef, other: PlaceRef | undefined): boolean =>
  place.type === other?.type && place.id === other.id;

/** A place as it is named in a sentence. */
export const nameOf = ({ type, name }: Place): string => `the ${type} ${name}`;
