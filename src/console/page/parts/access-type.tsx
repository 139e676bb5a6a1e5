import { Badge, Tooltip } from '@mantine/core';
import type { AccessType } from '../../../client/index.ts';

const TYPES: Record<AccessType, { label: string; description: string; color: string }> = {
  public: { label: 'Public', description: 'All users of the API key can view it.', color: 'teal' },
  organizationPrivate: {
    label: 'Organization',
    description: 'Members of the organization can open it.',
    color: 'blue',
  },
  restricted: {
    label: 'Restricted',
    description: 'Only users with a role on it or on a parent folder can open it.',
    color: 'grape',
  },
};

export const ACCESS_TYPES = Object.entries(TYPES).map(([value, { label, description }]) => {
  return { value, label: `${label}: ${description}` };
});

export const ACCESS_ROLES = { viewer: 'Viewer: can read', editor: 'Editor: can read and write' };

/** Shows who may see a document or folder without a role on it. */
export function AccessTypeBadge({ type }: { type: AccessType }) {
  const { label, description, color } = TYPES[type];
  return (
    <Tooltip label={description} multiline maw={260}>
      <Badge color={color} flex="none">
        {label}
      </Badge>
    </Tooltip>
  );
}
