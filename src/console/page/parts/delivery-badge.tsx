import { Badge } from '@mantine/core';
import type { DeliveryStatus } from '../../../api/contract.ts';

const COLORS: Record<DeliveryStatus, string> = {
  delivered: 'teal',
  pending: 'blue',
  failed: 'red',
  disabled: 'gray',
};

/** The state of a delivery, in its own word. */
export const DeliveryBadge = ({ status }: { status: DeliveryStatus }) => (
  <Badge color={COLORS[status]}>{status}</Badge>
);
