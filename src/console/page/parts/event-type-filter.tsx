import { MultiSelect } from '@mantine/core';
import { useEventTypes } from '../api/event-types.ts';

interface EventTypeFilterProps {
  label: string;
  types: string[];
  onChange: (types: string[]) => void;
  description?: string;
  error?: string | undefined;
}

/** Chooses types of events from those that the server has. None stands for all. */
export function EventTypeFilter({ types, label, ...props }: EventTypeFilterProps) {
  const known = useEventTypes();
  // Types of the address stay choosable, also before the catalogue is read.
  const data = [...new Set([...known, ...types])];
  return (
    <MultiSelect
      label={label}
      placeholder={types.length === 0 ? 'All event types' : undefined}
      data={data}
      value={types}
      searchable
      clearable
      hidePickedOptions
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      nothingFoundMessage="No matching event types"
      {...props}
    />
  );
}

/** Types in an address: `comment.add,comment.update`. */
export const readTypes = (text: string | undefined): string[] => text?.split(',') ?? [];
