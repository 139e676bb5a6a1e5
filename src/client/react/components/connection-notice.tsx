import type { ReactNode } from 'react';
import { useClient } from '../collaboration.tsx';
import { useConnectionStatus } from '../live-hooks.ts';
import { useLabels } from './parts.ts';
import { Failure } from './small-parts.tsx';

/** Says why nothing new arrives, with a button that tries again; or else shows the error. */
export function ConnectionNotice({ error }: { error: Error | null }): ReactNode {
  const labels = useLabels();
  const { connection } = useClient();
  const status = useConnectionStatus();
  if (status !== 'offline' && status !== 'signedOut') return <Failure error={error} />;
  return (
    <p className="collab-notice" role="status">
      {labels[status]}{' '}
      <button type="button" onClick={() => connection.retry()}>
        {labels.retry}
      </button>
    </p>
  );
}
