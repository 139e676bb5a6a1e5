import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { rememberKey, usePresentKey } from '../api/key.ts';
import { Icon } from '../parts/icon.tsx';
import { PAGES, pathOf } from './pages.ts';

/** The pages that find things by their ids. */
const ID_SEARCHES: Array<[page: string, name: string, label: string]> = [
  ['directory', 'q', 'Search the directory for'],
  ['events', 'id', 'Open event'],
  ['webhooks', 'delivery', 'Open webhook delivery'],
  ['feedback', 'annotation', 'Open comment thread'],
  ['live-documents', 'document', 'Open live document'],
];

/** Entries of the directory whose name or id contains the text. */
function useNamed(apiKey: string | undefined, text: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const [q] = useDebouncedValue(text, 200);
  const { data } = useQuery({
    queryKey: ['palette', apiKey, q],
    queryFn: ({ signal }) => call(apiKey ?? '', 'console.directory.find', { q }, signal),
    enabled: apiKey !== undefined && q.length >= 2,
    placeholderData: keepPreviousData,
  });
  return (data?.found ?? []).map(({ kind, organizationId, id, name }) => ({
    id: JSON.stringify([kind, organizationId, id]),
    label: name ?? id,
    description: [kind, id, organizationId].filter(Boolean).join(' · '),
    leftSection: <Icon name="folder" />,
    onClick: () =>
      void navigate({
        to: `/key/${apiKey}/directory`,
        search: { organization: organizationId ?? undefined, open: `${kind}:${id}` } as never,
      }),
  }));
}

/** Pages, API keys, names of the directory, and ids of anything. Once it was shown, it opens by ⌘K itself. */
export function Palette({ asked }: { asked: number }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it is asked for, it opens
  useEffect(() => spotlight.open(), [asked]);
  const navigate = useNavigate();
  const { keys, key } = usePresentKey();
  const [query, setQuery] = useState('');
  const apiKey = key?.apiKey;
  const pages = PAGES.filter(({ isOfServer }) => isOfServer || apiKey).map(
    (page): SpotlightActionData => ({
      id: page.name,
      label: page.label,
      description: page.about,
      leftSection: <Icon name={page.icon} />,
      onClick: () => void navigate({ to: pathOf(page), params: { apiKey: apiKey ?? '' } }),
    }),
  );
  const otherKeys = keys
    .filter((each) => each.apiKey !== apiKey)
    .map(
      (each): SpotlightActionData => ({
        id: each.apiKey,
        label: `${each.workspaceName} / ${each.name}`,
        description: each.apiKey,
        leftSection: <Icon name="key" />,
        onClick: () => {
          rememberKey(each.apiKey);
          void navigate({ to: `/key/${each.apiKey}/playground` });
        },
      }),
    );
  const id = query.trim();
  const named = useNamed(apiKey, id);
  const searches =
    id.length < 2 || !apiKey
      ? []
      : ID_SEARCHES.map(
          ([page, name, label]): SpotlightActionData => ({
            id: `${page} ${name}`,
            label: `${label} “${id}”`,
            // The palette shows what contains the query.
            keywords: [id],
            leftSection: <Icon name="search" />,
            onClick: () =>
              void navigate({ to: `/key/${apiKey}/${page}`, search: { [name]: id } as never }),
          }),
        );
  return (
    <Spotlight
      actions={[
        { group: 'Pages', actions: pages },
        { group: 'API keys', actions: otherKeys },
        { group: 'Directory', actions: named },
        { group: 'Find by ID', actions: searches },
      ]}
      query={query}
      onQueryChange={setQuery}
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
