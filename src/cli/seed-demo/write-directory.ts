import { DAY_MS, type Demo, requireOutcomes } from './demo.ts';
import { LAWYERS, MAKER, PEOPLE, type Person, peopleOf, personCalled, STUDIO } from './people.ts';
import { DOCUMENTS, FOLDERS, ORGANIZATIONS } from './places.ts';

/** Organizations with their folders and documents. */
export async function writePlaces({ client }: Demo): Promise<void> {
  requireOutcomes(await client.organizations.add({ organizations: ORGANIZATIONS }));
  for (const { organizationId } of ORGANIZATIONS) {
    const inOrganization = (place: { organizationId: string }) =>
      place.organizationId === organizationId;
    const folders = FOLDERS.filter(inOrganization).map(({ organizationId: _, ...one }) => one);
    requireOutcomes(await client.folders.add({ organizationId, folders }));
    const byFolder = Map.groupBy(DOCUMENTS.filter(inOrganization), ({ folderId }) => folderId);
    for (const [folderId, documents] of byFolder) {
      const added = documents.map(({ documentId, documentName, kind }) => ({
        documentId,
        documentName,
        kind,
      }));
      const place = { organizationId, ...(folderId && { folderId }) };
      requireOutcomes(await client.documents.add({ ...place, documents: added }));
    }
  }
  // The credentials of the studio are of last year.
  const credentials = { documentId: 'credentials', disabled: true };
  requireOutcomes(
    await client.documents.update({ organizationId: STUDIO, documents: [credentials] }),
  );
}

const userInput = ({ organizationId: _, ...person }: Person) => person;

/** People in their organizations, and groups of each department. */
export async function writePeople({ client }: Demo): Promise<void> {
  for (const { organizationId } of ORGANIZATIONS) {
    const people = peopleOf(organizationId);
    requireOutcomes(await client.users.add({ organizationId, users: people.map(userInput) }));
    const departments = Map.groupBy(people, ({ department }) => department);
    const groups = [...departments.keys()].map((department) => ({
      groupId: department,
      groupName: department.charAt(0).toUpperCase() + department.slice(1),
    }));
    const group = { organizationId, organizationUserGroups: groups };
    requireOutcomes(await client.userGroups.add(group));
    for (const [department, members] of departments) {
      await client.userGroups.addUsers({
        organizationId,
        organizationUserGroupId: department,
        userIds: members.map(({ userId }) => userId),
      });
    }
  }
}

type Role = 'viewer' | 'editor';
type Right = [name: string, type: 'folder' | 'document', id: string, role: Role, days?: number];

/** Rights beside those in one's own organization; some of them end. */
const RIGHTS: Record<string, Right[]> = {
  [MAKER]: [
    ['Mira Holt', 'folder', 'board', 'editor'],
    ['Grace Mwangi', 'folder', 'board', 'editor'],
    ['Tomasz Wieczorek', 'folder', 'board', 'viewer'],
    ['Pieter van Dam', 'folder', 'supplier-contracts', 'editor'],
    ['Grace Mwangi', 'folder', 'supplier-contracts', 'editor'],
    ['Elena Marchetti', 'folder', 'supplier-contracts', 'viewer'],
    ['Elena Marchetti', 'document', 'kestrel-quality-agreement', 'editor'],
    // Lawyers and designers come in from outside.
    ['Ingrid Nystrom', 'folder', 'supplier-contracts', 'editor'],
    ['Marcus Bell', 'folder', 'supplier-contracts', 'editor', 30],
    ['Amara Diallo', 'folder', 'aria-pump', 'viewer'],
    ['Mateo Rossi', 'document', 'aria-alarm-concept', 'viewer', 7],
  ],
  [LAWYERS]: [
    ['Eleanor Larkfield', 'folder', 'matters', 'editor'],
    ['Samuel Adeyemi', 'folder', 'matters', 'editor'],
    ['Ingrid Nystrom', 'folder', 'meridian-supply', 'editor'],
    ['Marcus Bell', 'folder', 'meridian-supply', 'editor'],
    ['Farah Siddiqui', 'folder', 'meridian-supply', 'editor'],
    ['Daniel Kovacs', 'folder', 'meridian-supply', 'viewer'],
    ['Julien Moreau', 'folder', 'meridian-privacy', 'editor'],
    ['Wen Li', 'folder', 'meridian-privacy', 'editor'],
    ['Pieter van Dam', 'document', 'supply-agreement-draft-4', 'editor', 14],
    ['Jonas Albrecht', 'document', 'data-processing-agreement', 'viewer', 14],
  ],
  [STUDIO]: [
    ['Adaeze Okafor', 'folder', 'aria-launch', 'editor'],
    ['Jonas Albrecht', 'document', 'campaign-claims', 'editor', 21],
    ['Owen Pritchard', 'folder', 'aria-film', 'viewer'],
    ['Beatriz Costa', 'document', 'press-release', 'viewer', 3],
  ],
};

export async function writeAccess({ client, now }: Demo): Promise<void> {
  for (const [organizationId, rights] of Object.entries(RIGHTS)) {
    for (const [name, type, id, accessRole, days] of rights) {
      const expiresAt = days && Math.floor((now + days * DAY_MS) / 1000);
      const grant = { organizationId, type, id, accessRole, ...(expiresAt && { expiresAt }) };
      const user = { userId: personCalled(name).userId };
      await client.permissions.add({ user, permissions: { resources: [grant] } });
    }
  }
  // A grant of some fields only: finance sees amounts, and nothing else.
  const pieter = { userId: personCalled('Pieter van Dam').userId };
  const context = { access: { department: ['finance'] } };
  const grant = { organizationId: STUDIO, type: 'document', id: 'product-brochure' } as const;
  const resources = [{ ...grant, accessRole: 'viewer' as const, context }];
  await client.permissions.add({ user: pieter, permissions: { resources } });
}

/** Who may write in a document, by the organization's roles and the rights above. */
export function writersOf(document: { organizationId: string; folderId?: string }): Person[] {
  const own = peopleOf(document.organizationId).filter(({ accessRole }) => accessRole === 'editor');
  const closed = closedFolders(document.folderId);
  if (closed.length === 0) return own;
  const rights = RIGHTS[document.organizationId] ?? [];
  const names = rights
    .filter(([, type, id, role]) => type === 'folder' && closed.includes(id) && role === 'editor')
    .map(([name]) => name);
  return PEOPLE.filter(({ name }) => names.includes(name));
}

/** A folder and those above it, if one of them is restricted. */
function closedFolders(folderId: string | undefined): string[] {
  const folder = FOLDERS.find((one) => one.folderId === folderId);
  if (!folder) return [];
  const above = closedFolders(folder.parentFolderId);
  if (above.length === 0 && folder.accessType !== 'restricted') return [];
  return [folder.folderId, ...above];
}
