import {
  Alert,
  Button,
  Group,
  Modal,
  Select,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { failureOf } from '../api/failure.ts';
import { Failure } from './failure.tsx';
import { askToDiscard } from './unsaved.ts';

export interface FormField {
  /** The field's name in the input of the operation. */
  name: string;
  label: string;
  about?: string;
  required?: boolean;
  /** The choices; without them the field is a text. */
  options?: ReadonlyArray<{ value: string; label: string }>;
  kind?: 'text' | 'long' | 'switch';
  initial?: string | undefined;
}

export type FormValues = Record<string, string>;

interface FormDialogProps {
  title: string;
  /** The verb of the button, such as `Add`. */
  act: string;
  fields: readonly FormField[];
  submit: (values: FormValues) => Promise<unknown>;
  onDone: (values: FormValues) => void;
  onClose: () => void;
}

/**
 * A form over the page. A switch has the values `true` and an empty text. What the API says of a
 * field stands at that field, and other failures above all of them.
 */
export function FormDialog({ title, act, fields, submit, onDone, onClose }: FormDialogProps) {
  const [values, setValues] = useState<FormValues>(() =>
    Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial])),
  );
  const sending = useMutation({ mutationFn: submit, onSuccess: () => onDone(values) });
  const isChanged = fields.some(({ name, initial = '' }) => values[name] !== initial);
  const leave = async () => {
    if (!isChanged || (await askToDiscard())) onClose();
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    sending.mutate(values);
  };
  const problemOf = (field: string) =>
    sending.error
      ? failureOf(sending.error).issues.find(({ path }) => path.split('.').at(-1) === field)
          ?.message
      : undefined;
  const isAtFields = fields.some(({ name }) => problemOf(name) !== undefined);
  return (
    <Modal
      opened
      onClose={() => void leave()}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={onSubmit}>
        <Stack gap="sm">
          {sending.error && !isAtFields && <Failure error={sending.error} />}
          {isAtFields && <Alert color="red">Check the highlighted fields.</Alert>}
          {fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              error={problemOf(field.name)}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => void leave()}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface FieldProps {
  field: FormField;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function Field({ field, value, error, onChange }: FieldProps) {
  const { label, about, required, options, kind } = field;
  const common = { label, description: about, required, error };
  if (options) {
    return (
      <Select
        {...common}
        data={options}
        value={value === '' ? null : value}
        clearable={!required}
        onChange={(chosen) => onChange(chosen ?? '')}
        comboboxProps={{ withinPortal: true }}
      />
    );
  }
  if (kind === 'switch') {
    return (
      <Switch
        label={label}
        description={about}
        checked={value === 'true'}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'true' : '')}
      />
    );
  }
  const text = {
    value,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value),
  };
  return kind === 'long' ? (
    <Textarea {...common} {...text} autosize minRows={3} />
  ) : (
    <TextInput {...common} {...text} autoComplete="off" />
  );
}
