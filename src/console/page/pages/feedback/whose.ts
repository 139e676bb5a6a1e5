/** Every person has one inbox in each organization. */
export interface Whose {
  organizationId: string;
  userId: string;
}
