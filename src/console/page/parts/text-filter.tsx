import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';

interface TextFilterProps {
  label: string;
  value: string | undefined;
  /** Called when one has stopped typing. */
  onChange: (value: string) => void;
}

/** A filter by an id or a word that stands in the address. */
export function TextFilter({ label, value = '', onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  const change = useDebouncedCallback(onChange, 300);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      label={label}
      placeholder="Any"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        change(currentTarget.value.trim());
      }}
      w={{ base: '100%', sm: 180 }}
    />
  );
}
