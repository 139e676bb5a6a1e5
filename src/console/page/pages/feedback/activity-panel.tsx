import type { Activity } from '../../../../client/index.ts';
import { CopyText } from '../../parts/copy-text.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Json } from '../../parts/json.tsx';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Time } from '../../parts/time.tsx';

interface ActivityPanelProps {
  found: Activity | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** One record of an activity log. */
export function ActivityPanel({ found, isOpen, onClose }: ActivityPanelProps) {
  return (
    <SidePanel title="Record" isOpen={isOpen} onClose={onClose}>
      {found ? (
        <>
          <Facts
            facts={{
              Position: found.position,
              Action: found.actionType,
              When: <Time at={found.timestamp} />,
              ID: <CopyText text={found.id} />,
              Erased: found.erasedAt && <Time at={found.erasedAt} />,
              Hash: <CopyText text={found.hash} shown={`${found.hash.slice(0, 12)}…`} />,
              'Previous hash': (
                <CopyText text={found.previousHash} shown={`${found.previousHash.slice(0, 12)}…`} />
              ),
            }}
          />
          <Json value={found} label="Record as JSON" />
        </>
      ) : (
        <Empty title="Record not found">It may be older: scroll down the list to load more.</Empty>
      )}
    </SidePanel>
  );
}
