import {
  Button,
  Combobox,
  Group,
  ScrollArea,
  Text,
  useCombobox,
  VisuallyHidden,
} from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { rememberKey, usePresentKey } from '../api/key.ts';
import type { PageSearch } from '../app/search.ts';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/text.tsx';

const pickViews = ({ tab, list }: PageSearch): PageSearch => ({
  ...(tab && { tab }),
  ...(list && { list }),
});

/** Chooses the API key that the pages are about. The page stays the same. */
export function KeyPicker() {
  const { keys, key } = usePresentKey();
  const [search, setSearch] = useState('');
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const combobox = useCombobox({
    onDropdownClose: () => setSearch(''),
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const wanted = search.toLowerCase();
  const found = keys.filter(({ name, workspaceName, apiKey }) =>
    `${workspaceName} ${name} ${apiKey}`.toLowerCase().includes(wanted),
  );
  const choose = (apiKey: string) => {
    rememberKey(apiKey);
    combobox.closeDropdown();
    const page = /\/key\/[^/]+\/(.+)$/.exec(pathname)?.[1] ?? 'playground';
    // The view stays the same; ids in the address belong to the other key.
    void navigate({
      to: `/key/${apiKey}/${page}`,
      search: (present: PageSearch) => pickViews(present),
    });
  };
  if (keys.length === 0) return null;
  return (
    <Combobox store={combobox} onOptionSubmit={choose} width={320} position="bottom-start">
      <Combobox.Target>
        <Button
          variant="default"
          size="compact-md"
          maw={220}
          onClick={() => combobox.toggleDropdown()}
          rightSection={<Icon name="down" size={14} />}
        >
          <Text size="sm" truncate>
            <VisuallyHidden>API key </VisuallyHidden>
            {key ? `${key.workspaceName} / ${key.name || 'Key'}` : 'Choose a key'}
          </Text>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          placeholder="Search by workspace, key or ID"
          aria-label="Search API keys"
        />
        <Combobox.Options>
          <ScrollArea.Autosize mah={320}>
            {found.map(({ apiKey, name, workspaceName, type, disabled }) => (
              <Combobox.Option key={apiKey} value={apiKey} active={apiKey === key?.apiKey}>
                <Group justify="space-between" wrap="nowrap">
                  <Text size="sm" truncate>
                    {workspaceName} / {name || 'Key'}
                  </Text>
                  <Note size="xs">{disabled ? 'disabled' : type}</Note>
                </Group>
                <Text className="console-mono" c="dimmed">
                  {apiKey}
                </Text>
              </Combobox.Option>
            ))}
            {found.length === 0 && <Combobox.Empty>No matching API keys</Combobox.Empty>}
          </ScrollArea.Autosize>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
