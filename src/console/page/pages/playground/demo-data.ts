import { call } from '../../api/client.ts';
import { requireSuccess } from '../../api/failure.ts';

/** The document of the playground. The first start of a server creates it and its organization. */
export const DEMO_DOCUMENT = { organizationId: 'demo', documentId: 'welcome' };
const { organizationId, documentId } = DEMO_DOCUMENT;
const ORGANIZATION = { organizationId, organizationName: 'Demo' };
const DOCUMENT = { documentId, documentName: 'Welcome' };
/** The editor in which both people write. */
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

const FIRST_TEXT = {
  editorId: EDITOR_ID,
  type: 'xml',
  data: '<heading level="{2}">Launch plan</heading><paragraph>Ada and Grace both have this text open. Type here, and look at the other window.</paragraph>',
} as const;

export const userOf = ({ userId, name, email }: PlaygroundPerson) => ({ userId, name, email });

/** The parts of the playground, in the order in which they are created. */
type Part = 'organization' | 'document' | 'people' | 'text';

/** Reads which parts of the playground an API key lacks. */
async function readMissing(apiKey: string): Promise<Part[]> {
  const { data } = await call(apiKey, 'organizations.get', { organizationIds: [organizationId] });
  if (data.length === 0) return ['organization', 'document', 'people', 'text'];
  const [documents, users] = await Promise.all([
    call(apiKey, 'documents.get', { organizationId, documentIds: [documentId] }),
    call(apiKey, 'users.get', { organizationId, userIds: [ADA.userId, GRACE.userId] }),
  ]);
  const missing: Part[] = users.data.length < 2 ? ['people'] : [];
  if (documents.data.length === 0) return ['document', ...missing, 'text'];
  const texts = await call(apiKey, 'crdt.get', { ...DEMO_DOCUMENT, editorId: EDITOR_ID });
  return texts.length === 0 ? [...missing, 'text'] : missing;
}

/** Functions that create the parts of the playground, with operations that any server could call. */
const CREATORS: Record<Part, (apiKey: string) => Promise<unknown>> = {
  organization: (apiKey) => call(apiKey, 'organizations.add', { organizations: [ORGANIZATION] }),
  document: (apiKey) => call(apiKey, 'documents.add', { organizationId, documents: [DOCUMENT] }),
  people: (apiKey) =>
    call(apiKey, 'users.add', { organizationId, users: [userOf(ADA), userOf(GRACE)] }),
  text: (apiKey) => call(apiKey, 'crdt.add', { ...DEMO_DOCUMENT, ...FIRST_TEXT }),
};

/**
 * Creates the missing parts of the playground. A key gets the organization only with `mayCreateOrganization`, since a
 * person must agree first. A key that has the organization gets the other parts in any case.
 *
 * @returns whether the key has the whole playground
 */
export async function createMissingParts(
  apiKey: string,
  { mayCreateOrganization }: { mayCreateOrganization: boolean },
): Promise<boolean> {
  const missing = await readMissing(apiKey);
  if (missing.includes('organization') && !mayCreateOrganization) return false;
  for (const part of missing) requireSuccess(await CREATORS[part](apiKey));
  return true;
}
