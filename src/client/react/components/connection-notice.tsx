import type { ReactNode } from 'react';
import { useClient } from '../collaboration.tsx';
import { useConnectionStatus } from '../use-connection-status.ts';
import { useLabels } from './parts.ts';

/** Says why nothing new arrives, with a button that tries again. */
export function ConnectionNotice(): ReactNode {
  const labels = useLabels();
  const { connection } = useClient();
  const status = useConnectionStatus();
  if (status !== 'offline' && status !== 'signedOut') return null;
  return (
    <p className="collab-notice" role="status">
      {labels[status]}{' '}
      <button type="button" onClick={() => connection.retry()}>
        {labels.retry}
      </button>
    </p>
  );
}
