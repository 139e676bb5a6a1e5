import { Badge, Tooltip } from '@mantine/core';
import type { AccessType } from '../../../client/index.ts';

const TYPES: Record<AccessType, { label: string; about: string; color: string }> = {
  public: { label: 'Public', about: 'All users of the API key can view it.', color: 'teal' },
  organizationPrivate: {
    label: 'Organization',
    about: 'Members of the organization can open it.',
    color: 'blue',
  },
  restricted: {
    label: 'Restricted',
    about: 'Only people with a role on it or on a parent folder can open it.',
    color: 'grape',
  },
};

export const ACCESS_TYPES = (Object.keys(TYPES) as AccessType[]).map((value) => ({
  value,
  label: `${TYPES[value].label}: ${TYPES[value].about}`,
}));

export const ACCESS_ROLES = [
  { value: 'viewer', label: 'Viewer: can read' },
  { value: 'editor', label: 'Editor: can read and write' },
];

/** The audience of a document or folder apart from those with a role on it. */
export function AccessTypeBadge({ type }: { type: AccessType }) {
  const { label, about, color } = TYPES[type];
  return (
    <Tooltip label={about} multiline maw={260}>
      <Badge color={color}>{label}</Badge>
    </Tooltip>
  );
}
