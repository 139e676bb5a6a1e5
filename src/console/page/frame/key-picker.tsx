import { type ComboboxItem, Select, Text } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { rememberKey, useChosenKey } from '../api/read.ts';
import type { PageSearch } from '../app/search.ts';

/** How many keys the list shows. A search finds the others. */
const MAX_SHOWN = 100;

const matchesSearch = ({ label, value }: ComboboxItem, search: string): boolean =>
  `${label} ${value}`.toLowerCase().includes(search.trim().toLowerCase());

/** Lets the person choose the API key for the pages. On a page about the server, a choice opens the key's playground. */
export function KeyPicker() {
  const { keys, key } = useChosenKey();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const choose = (apiKey: string | null) => {
    if (apiKey === null) return;
    rememberKey(apiKey);
    const page = /\/key\/[^/]+\/(.+)$/.exec(pathname)?.[1] ?? 'playground';
    // The tab and the opened list stay. Ids in the address belong to the previous key, so they are left out.
    const search = ({ tab, list }: PageSearch): PageSearch => ({ tab, list });
    void navigate({ to: `/key/${apiKey}/${page}`, search });
  };
  if (keys.length === 0) return null;
  return (
    <Select
      aria-label="API key"
      placeholder="Choose a key"
      maw={240}
      data={keys.map(({ apiKey, name, workspaceName, disabled }) => ({
        value: apiKey,
        label: `${workspaceName} / ${name || 'Unnamed'}${disabled ? ' (disabled)' : ''}`,
      }))}
      value={key?.apiKey ?? null}
      onChange={choose}
      allowDeselect={false}
      searchable
      filter={({ options, search }) =>
        options
          .filter((option) => 'value' in option && matchesSearch(option, search))
          .slice(0, MAX_SHOWN)
      }
      nothingFoundMessage="No matching API keys"
      onFocus={({ currentTarget }) => currentTarget.select()}
      comboboxProps={{ width: 320, position: 'bottom-start' }}
      renderOption={({ option }) => (
        <div>
          <Text>{option.label}</Text>
          <Text className="console-mono" c="dimmed">
            {option.value}
          </Text>
        </div>
      )}
    />
  );
}
