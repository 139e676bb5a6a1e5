import { Badge, Tooltip } from '@mantine/core';
import type { AccessType } from '../../../client/index.ts';

const TYPES: Record<AccessType, { label: string; about: string; color: string }> = {
  public: { label: 'Public', about: 'Every user of the API key may view it.', color: 'teal' },
  organizationPrivate: {
    label: 'Organization',
    about: 'Open to those who have a role in the organization, or nearer.',
    color: 'blue',
  },
  restricted: {
    label: 'Restricted',
    about: 'Open only to those who have a role on it, or on a folder above it.',
    color: 'grape',
  },
};

export const ACCESS_TYPES = (Object.keys(TYPES) as AccessType[]).map((value) => ({
  value,
  label: `${TYPES[value].label}: ${TYPES[value].about}`,
}));

/** Whom a document or folder is open to without a role on it. */
export function AccessTypeBadge({ type }: { type: AccessType }) {
  const { label, about, color } = TYPES[type];
  return (
    <Tooltip label={about} multiline maw={260}>
      <Badge color={color} tt="none">
        {label}
      </Badge>
    </Tooltip>
  );
}
