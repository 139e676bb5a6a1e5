import type { AccessRole } from '../../../api/fields.ts';

/** A user with the role on one resource; null where there is none. */
export interface UserRow {
  userId: string;
  name: string | null;
  email: string | null;
  initial: string | null;
  metadata: Record<string, unknown>;
  accessRole: AccessRole | null;
}

/** The user object of specification 2.9, without the fields that are unknown. */
export function presentUser({ userId, name, email, initial, metadata, accessRole }: UserRow) {
  const known = Object.entries({ userId, name, email, initial, accessRole }).filter(
    ([, value]) => value !== null,
  );
  return { ...metadata, ...Object.fromEntries(known), userId };
}
