interface Named {
  userId: string;
  name?: string | undefined;
}

/** How a person is called. */
export const nameOf = ({ userId, name }: Named): string => name ?? userId;

/** Every person has one inbox in each organization. */
export interface Whose {
  organizationId: string;
  userId: string;
}
