import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { rememberKey, useChosenKey } from '../api/read.ts';
import { isServerPage, type PageName, type PageSearch, pathOf } from '../app/search.ts';
import { useDialogStack } from '../parts/dialogs.tsx';
import { Icon } from '../parts/icon.tsx';
import { labelOf, PAGES } from './pages.ts';

const EVENT_ID = /^\w{20}$/;

/**
 * Finds pages, API keys, and other things by their names or IDs.
 *
 * @param openings how often the person has asked for the palette, which opens whenever this number grows
 */
export function Palette({ openings }: { openings: number }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the palette opens at each change
  useEffect(() => spotlight.open(), [openings]);
  const [isOpen, { open: markOpen, close: markClosed }] = useDisclosure();
  // While the palette is open, Escape must not close the dialog below it.
  useDialogStack(isOpen);
  const navigate = useNavigate();
  const { keys, key } = useChosenKey();
  const [query, setQuery] = useState('');
  const apiKey = key?.apiKey;
  const openerOf =
    (page: PageName, search: PageSearch = {}) =>
    () =>
      void navigate({ to: pathOf(page, apiKey ?? ''), search: search as never });
  const pages = PAGES.filter(({ name }) => apiKey || isServerPage(name)).map(
    (page): SpotlightActionData => ({
      id: page.name,
      label: labelOf(page),
      description: page.description,
      leftSection: <Icon name={page.icon} />,
      onClick: openerOf(page.name),
    }),
  );
  const otherKeys = keys
    .filter((each) => each.apiKey !== apiKey)
    .map(
      (each): SpotlightActionData => ({
        id: each.apiKey,
        label: `${each.workspaceName} / ${each.name || 'Unnamed'}`,
        description: each.apiKey,
        leftSection: <Icon name="key" />,
        onClick: () => {
          rememberKey(each.apiKey);
          void navigate({ to: pathOf('playground', each.apiKey) });
        },
      }),
    );
  const typed = query.trim();
  const [q] = useDebouncedValue(typed, 200);
  const { data: found } = useQuery({
    queryKey: ['palette', apiKey, q],
    queryFn: async ({ signal }) => {
      const [directory, search] = await Promise.all([
        call(apiKey ?? '', 'console.directory.find', { q }, signal),
        call(apiKey ?? '', 'console.search.find', { q }, signal),
      ]);
      return { entries: directory.found, threadsAndDeliveries: search.found };
    },
    enabled: apiKey !== undefined && q.length >= 2,
    placeholderData: keepPreviousData,
  });
  const entries = (found?.entries ?? []).map(
    ({ kind, organizationId, id, name }): SpotlightActionData => ({
      id: JSON.stringify([kind, organizationId, id]),
      label: name ?? id,
      description: [kind, id, organizationId].filter(Boolean).join(' · '),
      leftSection: <Icon name="folder" />,
      onClick: openerOf('directory', {
        organization: kind === 'organization' ? id : (organizationId ?? undefined),
        ...(kind !== 'organization' && { open: `${kind}:${id}` }),
      }),
    }),
  );
  const threadsAndDeliveries = (found?.threadsAndDeliveries ?? []).map(
    ({ kind, id, name, where }): SpotlightActionData => ({
      id: `${kind} ${id}`,
      label: name,
      description: `${kind} · ${where} · ${id}`,
      // The palette hides actions that lack the query. The server also searches texts that are not shown, so the
      // query is given as a keyword.
      keywords: [typed],
      leftSection: <Icon name={kind === 'thread' ? 'comment' : 'send'} />,
      onClick:
        kind === 'thread'
          ? openerOf('feedback', { annotation: id })
          : openerOf('webhooks', { tab: 'deliveries', delivery: id }),
    }),
  );
  const event: SpotlightActionData = {
    id: 'event',
    label: `Event ${typed}`,
    keywords: [typed],
    leftSection: <Icon name="search" />,
    onClick: openerOf('events', { id: typed }),
  };
  return (
    <Spotlight
      actions={[
        { group: 'Pages', actions: pages },
        { group: 'API keys', actions: otherKeys },
        { group: 'Directory', actions: entries },
        { group: 'Threads and deliveries', actions: threadsAndDeliveries },
        { group: 'Events', actions: apiKey && EVENT_ID.test(typed) ? [event] : [] },
      ]}
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={markOpen}
      onSpotlightClose={markClosed}
      nothingFound="No results"
      highlightQuery
      attributes={{ content: { 'aria-label': 'Search' } }}
      limit={12}
      scrollable
      maxHeight={420}
      shortcut={['mod + K']}
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: 'Go to a page or key, or find a name or ID',
        'aria-label': 'Go to a page or key, or find a name or ID',
      }}
    />
  );
}
