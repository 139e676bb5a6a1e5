import {
  Checkbox,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type EntryKind, EntryPicker } from './entry-picker.tsx';

/** Labels by value, or a list. A list keeps its order, while an object puts values that look like numbers first. */
export type Options =
  | Record<string, string>
  | ReadonlyArray<string | { value: string; label: string }>;

const toList = (options: Options) =>
  Array.isArray(options)
    ? options
    : Object.entries(options).map(([value, label]) => ({ value, label }));

/** Adds the chosen value to the options if it is missing: the address of the page may contain any value. */
const withChosen = (options: ReturnType<typeof toList>, chosen: string) =>
  chosen === '' || options.some((each) => (each.value ?? each) === chosen)
    ? options
    : [...options, chosen];

/** A field of a form or of a filter bar, described by data. */
export interface Field {
  /** Its dotted name in the input of the operation, or in the address of the page. */
  name: string;
  /** The parts of the name, for names whose parts may contain dots. */
  path?: string[];
  label: string;
  description?: string | undefined;
  /** By default a text, or a choice if there are options. */
  kind?: EntryKind | 'text' | 'long' | 'switch' | 'number' | 'list' | 'secret' | 'datetime-local';
  options?: Options;
  required?: boolean;
  placeholder?: string;
  initial?: unknown;
  /** The name of the switch that must be on for this field to have an effect. */
  needs?: string;
  /** Fields of the same group are shown together under its name. */
  group?: string;
}

interface FieldInputProps {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
  error?: string | undefined;
  disabled?: boolean;
  /** The organization in which to search for entries of the directory. */
  organizationId?: string | undefined;
}

/** The control of a field. A switch has a boolean as its value, and a list has an array. */
export function FieldInput(props: FieldInputProps) {
  const { field, value, onChange, error, disabled = false, organizationId } = props;
  const { label, description, kind = 'text', required = false, placeholder } = field;
  const options = field.options && toList(field.options);
  const commonProps = { label, description, required, error, disabled, placeholder };
  const textProps = {
    value: String(value ?? ''),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value),
  };
  const listProps = { value: (value as string[] | undefined) ?? [], onChange };
  switch (kind) {
    case 'switch':
      return (
        <Switch
          {...{ label, description, error, disabled }}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...commonProps}
          value={value as number | string}
          onChange={onChange}
          thousandSeparator=","
          hideControls
        />
      );
    case 'list':
      return options ? (
        <MultiSelect
          {...commonProps}
          {...listProps}
          placeholder={listProps.value.length === 0 ? placeholder : ''}
          data={options}
          searchable
          clearable
          hidePickedOptions
          clearButtonProps={{ 'aria-label': `Clear ${label}` }}
          nothingFoundMessage="Nothing found"
        />
      ) : (
        <TagsInput {...commonProps} {...listProps} acceptValueOnBlur clearable />
      );
    case 'secret':
      return <NewSecret {...props} />;
    case 'long':
      return <Textarea {...commonProps} {...textProps} autosize minRows={3} />;
    case 'datetime-local':
      return <TextInput {...commonProps} {...textProps} type={kind} />;
    case 'text':
      return options ? (
        <Select
          {...commonProps}
          withAsterisk={required && field.initial === undefined}
          data={required ? options : withChosen(options, textProps.value)}
          value={textProps.value || null}
          onChange={(chosen) => onChange(chosen ?? '')}
          clearable={!required}
          allowDeselect={!required}
          searchable={options.length > 10}
          // A dialog focuses its first field. If that opened the list, the list would cover the buttons.
          openOnFocus={false}
        />
      ) : (
        <TextInput {...commonProps} {...textProps} autoComplete="off" />
      );
    default:
      return (
        <EntryPicker
          {...{ kind, label, required, disabled }}
          organizationId={kind === 'organization' ? undefined : organizationId}
          value={textProps.value}
          onChange={onChange}
        />
      );
  }
}

/**
 * A field for a new secret. It never shows the stored secret. The value undefined keeps the stored secret, and an
 * empty text removes it. `initial` is true if a secret is stored.
 */
function NewSecret({ field, value, onChange, error }: FieldInputProps) {
  const { label, description = '', initial: isStored } = field;
  const noun = label.replace(/^New /, '');
  const isRemoved = value === '';
  return (
    <Stack gap={6}>
      <PasswordInput
        label={label}
        description={
          isStored ? `${description} Leave empty to keep the stored ${noun}.`.trim() : description
        }
        value={String(value ?? '')}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        disabled={isRemoved}
        error={error}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': `Show the new ${noun}` }}
      />
      {Boolean(isStored) && (
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
