import { Group, Switch } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { cleared, type PageSearch, usePageSearch } from '../app/search.ts';
import { type Field, FieldInput } from './fields.tsx';

export interface Filter extends Field {
  /** Its name in the address of the page. */
  name: keyof PageSearch;
  /** Other parameters of the address that are cleared when this filter changes. */
  clearedParameters?: readonly (keyof PageSearch)[];
}

interface FiltersProps {
  filters: Filter | readonly Filter[];
  /** Whether there is a switch for the live updates of the list. */
  hasLiveSwitch?: boolean;
  /** The organization whose entries the filters suggest; by default that of the filter `organizationId`. */
  organizationId?: string | undefined;
  children?: ReactNode;
}

/** The filters of a list. They are in the address, so that a view can be shared. */
export function Filters({ filters, hasLiveSwitch, organizationId, children }: FiltersProps) {
  const [search, changeSearch] = usePageSearch();
  return (
    <Group align="flex-end" gap="sm" className="console-filters">
      {[filters].flat().map((filter) => (
        <OneFilter
          key={filter.name}
          filter={filter}
          text={search[filter.name] ?? String(filter.initial ?? '')}
          onChange={(text) =>
            changeSearch({ ...cleared(filter.clearedParameters ?? []), [filter.name]: text })
          }
          organizationId={organizationId ?? search.organizationId}
        />
      ))}
      {hasLiveSwitch && (
        <Switch
          label="Live"
          checked={search.live !== 'off'}
          onChange={({ currentTarget }) =>
            changeSearch({ live: currentTarget.checked ? undefined : 'off' })
          }
          mb={8}
        />
      )}
      {children}
    </Group>
  );
}

interface OneFilterProps {
  filter: Filter;
  text: string;
  onChange: (text: string) => void;
  organizationId: string | undefined;
}

function OneFilter({ filter, text, onChange, organizationId }: OneFilterProps) {
  const { kind = 'text', options } = filter;
  const field = { placeholder: 'Any', ...filter };
  if (kind === 'text' && !options) return <TypedFilter {...{ field, text, onChange }} />;
  return (
    <FieldInput
      field={field}
      value={kind === 'list' ? listOf(text) : text}
      organizationId={organizationId}
      // A list becomes a text with commas.
      onChange={(next) => onChange(String(next))}
    />
  );
}

type TypedFilterProps = Pick<OneFilterProps, 'text' | 'onChange'> & { field: Field };

/** A text filter, which is applied when the person stops typing. */
function TypedFilter({ field, text, onChange }: TypedFilterProps) {
  // A change of the address replaces the typed text, unless this field caused the change: the person may have typed
  // more since then.
  const [typed, setTyped] = useState(text);
  const appliedText = useRef<string>(undefined);
  const changeLater = useDebouncedCallback((next: string) => {
    appliedText.current = next;
    onChange(next);
  }, 300);
  useEffect(() => {
    if (text !== appliedText.current) setTyped(text);
    appliedText.current = undefined;
  }, [text]);
  const type = (next: unknown) => {
    setTyped(String(next));
    changeLater(String(next).trim());
  };
  return <FieldInput field={field} value={typed} onChange={type} />;
}

/** Splits a list of ids or types from the address, which has commas between them. */
export const listOf = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((each) => each !== '');
