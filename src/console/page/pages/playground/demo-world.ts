import type { CollaborationClient } from '../../../../client/index.ts';

/** The place of the playground. The first start of a server creates the organization and the document. */
export const PLACE = { organizationId: 'demo', documentId: 'welcome' };
/** The content of the document that both people edit. */
export const EDITOR_ID = 'playground';

export interface PlaygroundPerson {
  userId: string;
  name: string;
  email: string;
  /** Of the caret. White text stands on it. */
  color: string;
}

export const ADA: PlaygroundPerson = {
  userId: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  color: '#b4236b',
};
export const GRACE: PlaygroundPerson = {
  userId: 'grace',
  name: 'Grace Hopper',
  email: 'grace@example.com',
  color: '#1864ab',
};

const FIRST_TEXT =
  '<heading level="{2}">Launch plan</heading><paragraph>Ada and Grace both have this text open. Type here, and look at the other window.</paragraph>';

export const userOf = ({ userId, name, email }: PlaygroundPerson) => ({ userId, name, email });

/** The parts of the playground that exist for an API key. */
export interface DemoWorld {
  hasOrganization: boolean;
  /** Whether nothing is missing. */
  isComplete: boolean;
}

export async function readDemoWorld(client: CollaborationClient): Promise<DemoWorld> {
  const { organizationId, documentId } = PLACE;
  const { data } = await client.organizations.get({ organizationIds: [organizationId] });
  if (data.length === 0) return { hasOrganization: false, isComplete: false };
  const missing = await missingParts(client, documentId);
  return { hasOrganization: true, isComplete: !Object.values(missing).some(Boolean) };
}

/** Makes what is missing, by operations that any server could call. */
export async function makeDemoWorld(client: CollaborationClient): Promise<DemoWorld> {
  const { organizationId, documentId } = PLACE;
  const { data } = await client.organizations.get({ organizationIds: [organizationId] });
  if (data.length === 0) {
    const demo = { organizationId, organizationName: 'Demo' };
    await client.organizations.add({ organizations: [demo] });
  }
  const missing = await missingParts(client, documentId);
  if (missing.document) {
    const documents = [{ documentId, documentName: 'Welcome' }];
    await client.documents.add({ organizationId, documents });
  }
  if (missing.people) {
    await client.users.add({ organizationId, users: [userOf(ADA), userOf(GRACE)] });
  }
  if (missing.text) {
    const text = { editorId: EDITOR_ID, type: 'xml' as const, data: FIRST_TEXT };
    await client.crdt.add({ ...PLACE, ...text });
  }
  return { hasOrganization: true, isComplete: true };
}

async function missingParts(client: CollaborationClient, documentId: string) {
  const { organizationId } = PLACE;
  const [documents, users] = await Promise.all([
    client.documents.get({ organizationId, documentIds: [documentId] }),
    client.users.get({ organizationId, userIds: [ADA.userId, GRACE.userId] }),
  ]);
  const hasDocument = documents.data.length > 0;
  const texts = hasDocument ? await client.crdt.get({ ...PLACE, editorId: EDITOR_ID }) : [];
  return { document: !hasDocument, people: users.data.length < 2, text: texts.length === 0 };
}
