import { authorOf, DOCUMENTS, ORGANIZATIONS, peopleOf, personCalled, STUDIO } from './company.ts';
import { DAY_MS, type Demo, requireOutcomes } from './demo.ts';

/** Writes the organizations with their folders and documents. */
export async function writeOrganizations({ client }: Demo): Promise<void> {
  const organizations = ORGANIZATIONS.map(({ organizationId, organizationName, industry }) => {
    return { organizationId, organizationName, industry };
  });
  requireOutcomes(await client.organizations.add({ organizations }));
  for (const { organizationId, folders } of ORGANIZATIONS) {
    requireOutcomes(await client.folders.add({ organizationId, folders }));
    const ownDocuments = DOCUMENTS.filter((one) => one.organizationId === organizationId);
    for (const [folderId, inFolder] of Map.groupBy(ownDocuments, (one) => one.folderId)) {
      const documents = inFolder.map(({ documentId, documentName, kind }) => {
        return { documentId, documentName, kind };
      });
      const parent = { organizationId, ...(folderId && { folderId }) };
      requireOutcomes(await client.documents.add({ ...parent, documents }));
    }
  }
  // The document `credentials` of the studio is out of date, so it is disabled.
  const documents = [{ documentId: 'credentials', disabled: true }];
  requireOutcomes(await client.documents.update({ organizationId: STUDIO, documents }));
}

/** Writes the people of each organization, and a group for each department. */
export async function writePeople({ client }: Demo): Promise<void> {
  for (const { organizationId } of ORGANIZATIONS) {
    const people = peopleOf(organizationId);
    const users = people.map(({ organizationId: _, ...person }) => person);
    requireOutcomes(await client.users.add({ organizationId, users }));
    const departments = Map.groupBy(people, ({ department }) => department);
    const organizationUserGroups = [...departments.keys()].map((groupId) => ({
      groupId,
      groupName: groupId.charAt(0).toUpperCase() + groupId.slice(1),
    }));
    requireOutcomes(await client.userGroups.add({ organizationId, organizationUserGroups }));
    for (const [organizationUserGroupId, members] of departments) {
      const userIds = members.map(({ userId }) => userId);
      await client.userGroups.addUsers({ organizationId, organizationUserGroupId, userIds });
    }
  }
}

export async function writeAccess({ client, now }: Demo): Promise<void> {
  for (const { organizationId, rights } of ORGANIZATIONS) {
    for (const { name, days, ...right } of rights) {
      const expiresAt = days && Math.floor((now + days * DAY_MS) / 1000);
      const grant = { organizationId, ...right, ...(expiresAt && { expiresAt }) };
      const user = { userId: personCalled(name).userId };
      await client.permissions.add({ user, permissions: { resources: [grant] } });
    }
  }
  // With this grant, the user also sees annotations whose access context names the department `finance`.
  const { userId } = authorOf(personCalled('Pieter van Dam'));
  const context = { access: { department: ['finance'] } };
  const grant = { organizationId: STUDIO, type: 'document', id: 'product-brochure' } as const;
  const resources = [{ ...grant, accessRole: 'viewer' as const, context }];
  await client.permissions.add({ user: { userId }, permissions: { resources } });
}
