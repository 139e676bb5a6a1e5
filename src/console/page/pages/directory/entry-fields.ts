import { ACCESS_ROLES, ACCESS_TYPES } from '../../parts/access-type.tsx';
import type { Field } from '../../parts/fields.tsx';

// The form fields for adding and editing entries of the directory.

export interface OpenedEntry {
  id: string;
  organizationId: string;
  onDeleted: () => void;
}

type Kind = 'organization' | 'folder' | 'document' | 'group';

export const idAndNameFields = (kind: Kind): Field[] => [
  {
    name: `${kind}Id`,
    label: 'ID',
    description: `Your ID for the ${kind}. It cannot be changed later.`,
    required: true,
  },
  { name: `${kind}Name`, label: 'Name', description: 'Defaults to the ID.' },
];

export const nameField = (kind: Kind, initial: string): Field => {
  return { name: `${kind}Name`, label: 'Name', initial, required: true };
};

export const folderField = (
  name: 'folderId' | 'parentFolderId',
  initial?: string | null,
): Field => ({
  name,
  label: name === 'folderId' ? 'Folder' : 'Parent folder',
  description: 'Folder ID. Leave empty for the top level.',
  initial: initial ?? '',
});

export const accessTypeField = (description: string | undefined, initial?: string): Field => {
  return { name: 'accessType', label: 'Access', description, options: ACCESS_TYPES, initial };
};

export const userFields = (user: { name?: string | null; email?: string | null }): Field[] => [
  { name: 'name', label: 'Name', initial: user.name },
  { name: 'email', label: 'Email', initial: user.email },
  {
    name: 'accessRole',
    label: 'Role in the organization',
    description:
      'Leave empty to keep the current role. A new user gets the default role of the API key.',
    options: ACCESS_ROLES,
  },
];
