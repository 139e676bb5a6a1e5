import { call } from '../../api/client.ts';

/** The document of the playground. The first start of a server creates it and its organization. */
export const PLACE = { organizationId: 'demo', documentId: 'welcome' };
/** The content of the document that both people edit. */
export const EDITOR_ID = 'playground';

export interface PlaygroundPerson {
  userId: string;
  name: string;
  email: string;
  /** The colour of the caret and of the background of its white label. */
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

/** Reads which parts of the playground an API key lacks: the field of a missing part is true. */
export async function readMissing(apiKey: string) {
  const { organizationId, documentId } = PLACE;
  const organizations = { organizationIds: [organizationId] };
  const { data } = await call(apiKey, 'organizations.get', organizations);
  if (data.length === 0) return { organization: true, document: true, people: true, text: true };
  const [documents, users] = await Promise.all([
    call(apiKey, 'documents.get', { organizationId, documentIds: [documentId] }),
    call(apiKey, 'users.get', { organizationId, userIds: [ADA.userId, GRACE.userId] }),
  ]);
  const hasDocument = documents.data.length > 0;
  const texts = hasDocument
    ? await call(apiKey, 'crdt.get', { ...PLACE, editorId: EDITOR_ID })
    : [];
  return {
    organization: false,
    document: !hasDocument,
    people: users.data.length < 2,
    text: texts.length === 0,
  };
}

/** Creates the missing parts with operations that any server could call. */
export async function createMissing(apiKey: string) {
  const { organizationId, documentId } = PLACE;
  const missing = await readMissing(apiKey);
  if (missing.organization) {
    const organizations = [{ organizationId, organizationName: 'Demo' }];
    await call(apiKey, 'organizations.add', { organizations });
  }
  if (missing.document) {
    const documents = [{ documentId, documentName: 'Welcome' }];
    await call(apiKey, 'documents.add', { organizationId, documents });
  }
  if (missing.people) {
    await call(apiKey, 'users.add', { organizationId, users: [userOf(ADA), userOf(GRACE)] });
  }
  if (missing.text) {
    const text = { editorId: EDITOR_ID, type: 'xml' as const, data: FIRST_TEXT };
    await call(apiKey, 'crdt.add', { ...PLACE, ...text });
  }
  return readMissing(apiKey);
}
