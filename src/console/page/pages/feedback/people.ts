interface Named {
  userId: string;
  name?: string | undefined;
}

/** The name of a person, or otherwise the ID. */
export const nameOf = ({ userId, name }: Named): string => name ?? userId;

/** Every person has one inbox in each organization. */
export interface Whose {
  organizationId: string;
  userId: string;
}
