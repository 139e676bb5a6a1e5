import { Button, Fieldset, Group, Paper, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { queries } from '../api/queries.ts';
import { useReadOnly } from './act-button.tsx';
import { Failure } from './failure.tsx';
import { fieldErrors, hasFieldErrors } from './field-errors.ts';
import { done } from './notices.ts';
import { useUnsaved } from './unsaved.ts';

interface FormState<Values> {
  /** The stored values with the changes in the form. */
  draft: Values;
  set: (change: Partial<Values>) => void;
  /** The problem that the API found with a field of its input. */
  problem: (field: string) => string | undefined;
  isChanged: boolean;
  isSaving: boolean;
  error: unknown;
  save: () => void;
  reset: () => void;
}

/**
 * A form over stored settings. Only what was changed in it is sent, so that what others change
 * meanwhile stays. `queryKey` is read again when it was saved.
 */
export function useConfigForm<Values extends object>(
  stored: Values,
  queryKey: readonly unknown[],
  update: (changes: Partial<Values>) => Promise<unknown>,
): FormState<Values> {
  const [changes, setChanges] = useState<Partial<Values>>({});
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: async (sent: Partial<Values>) => {
      // The answer may have secrets, which must not stay in memory.
      await update(sent);
    },
    onSuccess: async (_, sent) => {
      await queries.invalidateQueries({ queryKey });
      // Text that was typed meanwhile is still to be saved.
      setChanges((present) => withoutSame(present, sent));
      done('Saved.');
    },
  });
  const set = (change: Partial<Values>) =>
    setChanges((present) => withoutSame({ ...present, ...change }, stored));
  return {
    draft: { ...stored, ...changes },
    set,
    problem: fieldErrors(error),
    isChanged: Object.keys(changes).length > 0,
    isSaving: isPending,
    error,
    save: () => mutate(changes),
    reset: () => {
      setChanges({});
      reset();
    },
  };
}

function withoutSame<Values extends object>(changes: Partial<Values>, others: Partial<Values>) {
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(value) === JSON.stringify(others[name as keyof Values]);
  const changed = Object.entries(changes).filter(([name, value]) => !isSame(name, value));
  return Object.fromEntries(changed) as Partial<Values>;
}

interface ConfigFormProps<Values> {
  form: FormState<Values>;
  children: ReactNode;
}

/** The frame of such a form: its fields, what the API says of the whole, and its buttons. */
export function ConfigForm<Values>({ form, children }: ConfigFormProps<Values>) {
  const { error, isChanged, isSaving, save, reset } = form;
  const readOnly = useReadOnly();
  useUnsaved(isChanged);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={submit} noValidate>
        <Fieldset variant="unstyled" disabled={readOnly !== undefined}>
          <Stack>
            {readOnly && (
              <Text size="sm" c="dimmed">
                {readOnly}
              </Text>
            )}
            {children}
            {error !== null && !hasFieldErrors(error) && <Failure error={error} />}
            <Group>
              <Button type="submit" disabled={!isChanged} loading={isSaving}>
                Save
              </Button>
              {isChanged && (
                <Button variant="subtle" color="gray" onClick={reset}>
                  Discard changes
                </Button>
              )}
            </Group>
          </Stack>
        </Fieldset>
      </form>
    </Paper>
  );
}
