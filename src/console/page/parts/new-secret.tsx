import { Checkbox, PasswordInput, Stack } from '@mantine/core';

interface NewSecretProps {
  /** The kind of secret, such as `token`. */
  noun: string;
  label: string;
  about?: string;
  isStored: boolean;
  /** The new secret. Undefined keeps the stored one, and an empty text removes it. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  error?: string | undefined;
}

/** A field for a secret, which never shows the stored one. */
export function NewSecret(props: NewSecretProps) {
  const { noun, label, about = '', isStored, value, onChange, error } = props;
  const isRemoved = value === '';
  return (
    <Stack gap={6}>
      <PasswordInput
        label={label}
        description={isStored ? `${about} Left empty, the stored one stays.`.trim() : about}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        disabled={isRemoved}
        error={error}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': `Show the new ${noun}` }}
      />
      {isStored && (
        <Checkbox
          size="xs"
          label={`Remove the stored ${noun}`}
          checked={isRemoved}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? '' : undefined)}
        />
      )}
    </Stack>
  );
}
