import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NewComment } from '../../src/api/contract.ts';

// The company of the demo: three organizations that work together, read from `data/`.

export const MAKER = 'meridian-instruments';
export const STUDIO = 'castell-studio';

type Role = 'viewer' | 'editor';
type Kind = 'contract' | 'product' | 'quality' | 'policy' | 'marketing' | 'film';

type DemoFolder = {
  folderId: string;
  folderName: string;
  parentFolderId?: string;
  accessType?: 'organizationPrivate' | 'restricted' | 'public';
};

/** A role that a person has in addition to the one in the organization. With `days`, it ends after that many days. */
interface Right {
  name: string;
  type: 'folder' | 'document';
  id: string;
  accessRole: Role;
  days?: number;
}

interface Organization {
  organizationId: string;
  organizationName: string;
  industry: string;
  emailDomain: string;
  people: Array<{ name: string; title: string; department: string; accessRole?: Role }>;
  /** A parent folder comes before the folders in it. */
  folders: DemoFolder[];
  /** `subject`: the product, client or party that the texts are about. */
  documents: Array<{ folderId?: string; kind: Kind; subject: string; names: string[] }>;
  rights: Right[];
}

/** Templates for the texts of documents and comments. A `{slot}` is replaced with one of its values. */
interface Texts {
  slots: Record<string, string[]>;
  reactions: string[];
  kinds: Record<
    Kind,
    {
      /** Each section's title, and its paragraphs. */
      sections: Array<[title: string, ...paragraphs: string[]]>;
      comments: string[];
      replies: string[];
      /** The text that a suggestion replaces, its replacement, and the reason. */
      suggestions: Array<[old: string, better: string, why: string]>;
    }
  >;
}

/** Reads a file of `data/`. */
export const readData = (name: string) =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'data', `${name}.json`), 'utf8'));

export const ORGANIZATIONS: Organization[] = readData('organizations');
const texts: Texts = readData('texts');
export const { slots: SLOTS, reactions: REACTIONS, kinds: TEXTS } = texts;

const idOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');

export const PEOPLE = ORGANIZATIONS.flatMap(({ organizationId, emailDomain, people }) =>
  people.map(({ accessRole = 'editor', ...person }) => {
    const userId = idOf(person.name);
    const email = `${userId.replaceAll('-', '.')}@${emailDomain}`;
    return { ...person, accessRole, organizationId, userId, email };
  }),
);
export type Person = (typeof PEOPLE)[number];

export const DOCUMENTS = ORGANIZATIONS.flatMap(({ organizationId, documents }) =>
  documents.flatMap(({ names, ...facts }) =>
    names.map((documentName) => {
      const documentId = idOf(documentName);
      return { ...facts, organizationId, documentId, documentName };
    }),
  ),
);
export type DemoDocument = (typeof DOCUMENTS)[number];

export const peopleOf = (organizationId: string): Person[] =>
  PEOPLE.filter((person) => person.organizationId === organizationId);

export function personCalled(name: string): Person {
  const person = PEOPLE.find((one) => one.name === name);
  if (!person) throw new Error(`Nobody in the demo is called ${name}.`);
  return person;
}

/** A person in the form in which comments and other acts name their author. */
export const authorOf = ({ userId, name, email }: Person): NonNullable<NewComment['from']> => ({
  userId,
  name,
  email,
});

export function documentCalled(name: string): DemoDocument {
  const document = DOCUMENTS.find((one) => one.documentName === name);
  if (!document) throw new Error(`No document in the demo is called ${name}.`);
  return document;
}

export const documentRefOf = ({ organizationId, documentId }: DemoDocument) => ({
  organizationId,
  documentId,
});

/** The people who may write in a document, by their roles in the organization and their `rights` to restricted folders. */
export function writersOf({ organizationId, folderId }: DemoDocument): Person[] {
  const organization = ORGANIZATIONS.find((one) => one.organizationId === organizationId);
  const restricted = restrictedFolders(organization?.folders ?? [], folderId);
  if (restricted.length === 0) {
    return peopleOf(organizationId).filter(({ accessRole }) => accessRole === 'editor');
  }
  const names = (organization?.rights ?? [])
    .filter(({ type, id }) => type === 'folder' && restricted.includes(id))
    .filter(({ accessRole }) => accessRole === 'editor')
    .map(({ name }) => name);
  return PEOPLE.filter(({ name }) => names.includes(name));
}

/** The ids of a folder and of the folders above it, up to the topmost restricted one; empty if none is restricted. */
function restrictedFolders(folders: DemoFolder[], folderId: string | undefined): string[] {
  const folder = folders.find((one) => one.folderId === folderId);
  if (!folder) return [];
  const above = restrictedFolders(folders, folder.parentFolderId);
  if (above.length === 0 && folder.accessType !== 'restricted') return [];
  return [folder.folderId, ...above];
}
