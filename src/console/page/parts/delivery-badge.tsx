import { Badge } from '@mantine/core';
import type { DeliveryStatus } from '../../../api/contract.ts';

const COLORS: Record<DeliveryStatus, string> = {
  delivered: 'teal',
  pending: 'blue',
  failed: 'red',
  disabled: 'gray',
};

interface DeliveryBadgeProps {
  status: DeliveryStatus;
  /** How many attempts were made: one that waits after any of them has failed so far. */
  attempts: number;
}

/** The state of a delivery in a word. */
export function DeliveryBadge({ status, attempts }: DeliveryBadgeProps) {
  if (status === 'pending' && attempts > 0) return <Badge color="orange">retrying</Badge>;
  return <Badge color={COLORS[status]}>{status}</Badge>;
}
