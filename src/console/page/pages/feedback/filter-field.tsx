import { Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { usePageSearch } from '../../app/use-search.ts';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { type Filter, listOf } from './filters.ts';

/** One filter, which stands in the page's address. */
export function FilterField({ filter }: { filter: Filter }) {
  const { name, label, kind, options } = filter;
  const [search, change] = usePageSearch();
  const value = search[name] ?? '';
  const set = (chosen: string) => change({ [name]: chosen });
  switch (kind) {
    case 'list':
      return (
        <TagsInput
          label={label}
          {...(options && { data: options.map((option) => option.value) })}
          placeholder={value ? '' : 'Any'}
          value={listOf(value)}
          onChange={(chosen) => set(chosen.join(','))}
          clearable
        />
      );
    case 'switch':
      return (
        <Switch
          label={label}
          checked={value !== ''}
          onChange={({ currentTarget }) => set(currentTarget.checked ? 'yes' : '')}
          pb={8}
        />
      );
    case 'text':
      return options ? (
        <Select
          label={label}
          data={options}
          placeholder="Any"
          value={value || null}
          onChange={(chosen) => set(chosen ?? '')}
          clearable
        />
      ) : (
        <TextFilter label={label} value={value} onChange={set} />
      );
    case 'date':
      return (
        <TextInput
          label={label}
          type="date"
          value={value}
          onChange={({ currentTarget }) => set(currentTarget.value)}
        />
      );
    default:
      return (
        <EntryPicker
          kind={kind}
          label={label}
          organizationId={kind === 'organization' ? undefined : search.organizationId}
          value={value}
          onChange={set}
        />
      );
  }
}

interface TextFilterProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function TextFilter({ label, value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const change = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      label={label}
      placeholder="Any"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        change(currentTarget.value.trim());
      }}
    />
  );
}
