import { z } from 'zod';
import { batch, id, idList, name, pageSize, pageToken, resource } from '../../api/fields.ts';
import { page } from '../../api/paging.ts';

export const userGroup = resource({ groupId: id, groupName: name.optional() }).meta({
  id: 'UserGroupInput',
});
export type UserGroupInput = z.infer<typeof userGroup>;

export const AddUserGroups = z.object({
  organizationId: id,
  organizationUserGroups: batch(userGroup),
});
export type AddUserGroupsInput = z.infer<typeof AddUserGroups>;

/** Callers name groups by ids, or by objects with an id. */
const groupIds = (max: number) => ({
  organizationUserGroupIds: idList(max).optional(),
  organizationUserGroups: z
    .array(z.object({ groupId: id }))
    .max(max)
    .optional(),
});

const NamedGroups = z.object(groupIds(1000));

/** Returns the distinct ids of the named groups. */
export const namedGroups = (input: z.infer<typeof NamedGroups>): string[] => [
  ...new Set([
    ...(input.organizationUserGroupIds ?? []),
    ...(input.organizationUserGroups ?? []).map((group) => group.groupId),
  ]),
];

export const GetUserGroups = z.object({ organizationId: id, ...groupIds(30), pageSize, pageToken });
export type GetUserGroupsInput = z.infer<typeof GetUserGroups>;

export const DeleteUserGroups = z
  .object({ organizationId: id, ...groupIds(1000) })
  .refine((input) => namedGroups(input).length > 0, {
    path: ['organizationUserGroupIds'],
    message: 'must name a group, unless organizationUserGroups does',
  });
export type DeleteUserGroupsInput = z.infer<typeof DeleteUserGroups>;

export const presentedUserGroup = z
  .looseObject({
    groupId: z.string(),
    groupName: z.string().meta({ description: 'The id if the group has no name.' }),
    memberCount: z.number(),
    userIds: z
      .array(z.string())
      .optional()
      .meta({ description: 'The members, for groups that were requested by id.' }),
  })
  .meta({ id: 'UserGroup' });
export type PresentedUserGroup = z.infer<typeof presentedUserGroup>;

export const userGroupPage = page(presentedUserGroup);

/** The input that adds users to a group (specification 4.13). */
export const AddGroupUsers = z.object({
  organizationId: id,
  organizationUserGroupId: id,
  userIds: batch(id),
});
export type AddGroupUsersInput = z.infer<typeof AddGroupUsers>;

/** The input that removes users from a group (specification 4.11). */
export const DeleteGroupUsers = z
  .object({
    organizationId: id,
    organizationUserGroupId: id,
    userIds: idList().default([]),
    deleteAll: z.boolean().default(false),
  })
  .refine((input) => input.deleteAll || input.userIds.length > 0, {
    path: ['userIds'],
    message: 'must name a user, or deleteAll must be true',
  });
export type DeleteGroupUsersInput = z.infer<typeof DeleteGroupUsers>;

const memberOutcome = z
  .object({ success: z.boolean(), organizationUserGroupId: z.string(), message: z.string() })
  .meta({ id: 'MemberOutcome' });
export type MemberOutcome = z.infer<typeof memberOutcome>;

/** The response to both (specification 4.11 and 4.13): an outcome for each user. */
export const memberOutcomes = z.record(z.string(), memberOutcome);
