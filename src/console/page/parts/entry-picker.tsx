import { Autocomplete, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { InputOf } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { Note } from './basics.tsx';

export type EntryKind = NonNullable<InputOf<'console.directory.find'>['kind']>;

interface EntryPickerProps {
  kind: EntryKind;
  label: string;
  organizationId?: string | undefined;
  value: string;
  onChange: (id: string) => void;
  disabled?: boolean;
  required?: boolean;
}

/** A field for an entry of the directory, found by its id or name. It also accepts an id that is not suggested. */
export function EntryPicker({ kind, organizationId, value, onChange, ...props }: EntryPickerProps) {
  const [text, setText] = useState(value);
  const [q] = useDebouncedValue(text.trim(), 250);
  useEffect(() => setText(value), [value]);
  const input = { q, kind, organizationId };
  // Nothing is searched before the person enters the field.
  const [isEntered, setEntered] = useState(false);
  const { data } = useRead('console.directory.find', isEntered ? input : undefined, {
    keepsPrevious: true,
  });
  const names = new Map(data?.found.map(({ id, name }) => [id, name]));
  const choose = (id: string) => {
    if (id.trim() !== value) onChange(id.trim());
  };
  return (
    <Autocomplete
      {...props}
      placeholder="ID or name"
      value={text}
      data={[...names.keys()]}
      // Until the server responds, the suggestions belong to an earlier text. Those that no longer fit are hidden.
      filter={({ options, search }) =>
        options.filter((option) => {
          const id = 'value' in option ? option.value : '';
          return `${id} ${names.get(id) ?? ''}`.toLowerCase().includes(search.trim().toLowerCase());
        })
      }
      onChange={setText}
      onFocus={() => setEntered(true)}
      // A dialog focuses its first field. If that opened the list, the list would cover the buttons.
      openOnFocus={false}
      onOptionSubmit={choose}
      onBlur={() => choose(text)}
      onKeyDown={({ key, currentTarget }) => {
        const active = currentTarget.getAttribute('aria-activedescendant');
        const isSuggested = active !== null && document.getElementById(active) !== null;
        if (key === 'Enter' && !isSuggested) choose(text);
      }}
      maxDropdownHeight={280}
      renderOption={({ option }) => (
        <div>
          <Text>{names.get(option.value) ?? option.value}</Text>
          {names.get(option.value) && <Note size="xs">{option.value}</Note>}
        </div>
      )}
    />
  );
}
