import { Alert, Anchor, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OutputOf } from '../../api/client.ts';
import type { PageName, PageSearch } from '../../app/search.ts';
import { Note, Time } from '../../parts/basics.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageLink } from '../../parts/links.tsx';

type Attention = OutputOf<'console.overview.read'>['attention'][number];

interface AttentionListProps {
  attention: Attention[];
  /** Whether the list is about the whole server, and not only about the keys of the person. */
  isOfServer: boolean;
}

/** The conditions that need attention, the worst first, each with a link. */
export const AttentionList = ({ attention, isOfServer }: AttentionListProps) =>
  attention.length === 0 ? (
    <Alert color="teal" icon={<Icon name="check" />} title="Nothing needs attention">
      {isOfServer
        ? 'All processes respond, no queue is delayed, no webhook endpoint is failing, and no activity chain is broken.'
        : 'None of your webhook endpoints is failing, and none of your activity chains is broken.'}
    </Alert>
  ) : (
    <Alert color="orange" icon={<Icon name="warning" />} title="Needs attention">
      <ul className="console-list">
        {attention.map((each) => (
          <li key={`${each.kind} ${each.name} ${each.apiKey} ${each.endpointId}`}>
            <Group gap={6}>
              <Text fw={600} span>
                {textOf(each)}
              </Text>
              {each.since !== undefined && (
                <Note span>
                  ({sinceLabelOf(each)} <Time at={each.since} />)
                </Note>
              )}
              {linkOf(each)}
            </Group>
          </li>
        ))}
      </ul>
    </Alert>
  );

/** For a process, `since` is the time of its last report. */
const sinceLabelOf = ({ kind }: Attention): string =>
  kind === 'process' || kind === 'redis' ? 'last report' : 'began';

function textOf({ kind, name, count = 0 }: Attention): string {
  switch (kind) {
    case 'sealing key':
      return 'This process cannot read stored secrets: its SECRET_KEY differs from that of the other processes';
    case 'process':
      return `A process disappeared without shutting down: ${name}`;
    case 'redis':
      return `Redis cannot be reached from ${name}`;
    case 'errors':
      return count === 1
        ? 'A request failed with a server error'
        : `${count} requests failed with server errors`;
    case 'endpoint':
      return `A webhook endpoint is failing: ${name}`;
    case 'chain':
      return `The activity chain of ${name} is broken at record ${count}`;
    case 'queue':
      return queueText(name, count);
  }
}

function queueText(queue: string, waiting: number): string {
  const counted = (noun: string) => `${waiting} ${waiting === 1 ? noun : `${noun}s`}`;
  if (queue.startsWith('reader-')) {
    return `The event reader ${queue.slice('reader-'.length)} is ${counted('event')} behind`;
  }
  switch (queue) {
    case 'outbox':
      return `Waiting to enter the event log: ${counted('event')}`;
    case 'mails':
      return `Waiting for a long time: ${counted('email')}`;
    case 'failed-jobs':
      return `Failed and waiting for a retry: ${counted('background job')}`;
    case 'due-deliveries':
      return `Deliveries are overdue: ${counted('webhook endpoint')}`;
    case 'pending-deliveries':
      return `Deliveries have been pending for a long time: ${counted('webhook endpoint')}`;
    default:
      return `Waiting for a long time: ${counted(queue.replace(/s$/, ''))}`;
  }
}

function linkOf({ kind, name, apiKey, endpointId }: Attention): ReactNode {
  const page = (text: string, to: PageName, search: PageSearch) => (
    <PageLink page={to} c="inherit" apiKey={apiKey} search={search} text={text} />
  );
  const link = (text: string, href: string) => (
    <Anchor c="inherit" href={href}>
      {text}
    </Anchor>
  );
  switch (kind) {
    case 'sealing key':
      return link('What to do', '/docs/operating#secret_key');
    case 'process':
    case 'redis':
      return link('Processes', '#processes');
    case 'queue':
      return link('Queues', '#queues');
    case 'chain':
      return page('Open chain', 'feedback', { tab: 'chain', organizationId: name });
    case 'errors':
      return page('Show requests', 'requests', { outcome: 'failed' });
    case 'endpoint':
      return page('Open endpoint', 'webhooks', { endpoint: endpointId });
  }
}
