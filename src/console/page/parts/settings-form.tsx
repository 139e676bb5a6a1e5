import { Button, Fieldset, Group, Paper, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useId, useRef } from 'react';
import { call } from '../api/client.ts';
import { usePageKey } from '../api/read.ts';
import { LoadingButton, useReadOnlyReason } from './action-button.tsx';
import { Loaded, Note } from './basics.tsx';
import { useUnsavedChangesGuard } from './dialogs.tsx';
import type { Field } from './fields.tsx';
import { Fields, useForm, type Values } from './form.tsx';
import { showSuccess } from './notices.ts';
import { Secret } from './secret.tsx';

type Json = Record<string, unknown>;

/** The settings that have an operation `get` and an operation `update`, such as `emailConfig.get`. */
type Settings =
  | 'activityConfig'
  | 'apiKeyConfig'
  | 'emailConfig'
  | 'memory.alerts.config'
  | 'notificationConfig'
  | 'quotas'
  | 'webhookConfig';

export interface SettingsFormProps {
  settings: Settings;
  /** Each field is named after a field of both operations. A function derives the fields from the response of `get`. */
  fields: readonly Field[] | ((answer: never) => Field[] | Promise<Field[]>);
  /** The input that both operations share. By default it is empty, and the settings are those of the page's key. */
  shared?: Json;
  /** Turns the response of `get` into the values of the form. */
  read?: (answer: never) => Json;
  /** Turns changed values of the form into the input of `update`. */
  write?: (changes: Json) => Json;
  children?: ReactNode;
}

/** A form for stored settings, which `get` reads and `update` changes. */
export function SettingsForm(props: SettingsFormProps) {
  const { settings: name, fields, shared = {}, read, write, children } = props;
  const { apiKey } = usePageKey();
  // Keeps queries apart: several forms may show different fields of the same settings.
  const id = useId();
  const load = async () => {
    const answer = (await call(apiKey, `${name}.get`, shared as never)) as never;
    return { answer, settings: read ? read(answer) : (answer as Json) };
  };
  const stored = useQuery({
    queryKey: [name, apiKey, shared, id],
    queryFn: async () => {
      const { answer, settings } = await load();
      const shownFields = typeof fields === 'function' ? await fields(answer) : fields;
      // Stored secrets stay out of the cache: the form knows only whether there is one.
      return shownFields.map((field): Field => {
        const value = valueAt(settings, pathOf(field));
        return { ...field, initial: field.kind === 'secret' ? Boolean(value) : value };
      });
    },
    // The audit log records each read of secrets, so a change elsewhere on the page does not cause another read.
    staleTime: 'static',
    gcTime: 0,
  });
  const save = async (changes: Values) => {
    const input = (stored.data ?? [])
      .filter((field) => field.name in changes)
      .reduce((json, field) => withValue(json, pathOf(field), changes[field.name]), {} as Json);
    // The response may contain secrets. It is not returned, so that the form does not keep it.
    await call(apiKey, `${name}.update`, { ...shared, ...(write?.(input) ?? input) } as never);
    // The form keeps its changes until the stored values are read, so that it never shows the former values again.
    await stored.refetch({ throwOnError: true });
  };
  const reveal = async (field: string) =>
    String(valueAt((await load()).settings, field.split('.')) ?? '');
  return (
    <Loaded query={stored}>
      {(filledFields) => (
        <Form fields={filledFields} save={save} reveal={reveal}>
          {children}
        </Form>
      )}
    </Loaded>
  );
}

interface FormProps {
  fields: Field[];
  save: (changes: Values) => Promise<void>;
  reveal: (name: string) => Promise<string>;
  children: ReactNode;
}

/** Sends only the changed fields, so that other fields keep what other people set in the meantime. */
function Form({ fields, save, reveal, children }: FormProps) {
  const stored: Values = Object.fromEntries(
    fields.map(({ name, kind, initial }) => [name, kind === 'secret' ? undefined : initial]),
  );
  const form = useForm(stored, {
    submit: (_values, changes) => save(changes),
    onSuccess: (_answer, sent) => {
      form.forget(sent);
      showSuccess('Saved.');
    },
  });
  const { values, change, isChanged, sending } = form;
  const readOnly = useReadOnlyReason();
  useUnsavedChangesGuard(isChanged);
  const lastField = useRef<HTMLElement>(null);
  // The buttons disappear when no changes are left. If one of them has the focus, the last field gets it.
  const returnFocus = useCallback((buttons: HTMLElement | null) => {
    return () => {
      if (buttons?.contains(document.activeElement)) lastField.current?.focus();
    };
  }, []);
  // A field such as `New token` replaces a secret. The stored secret is shown on demand.
  const secrets = fields.filter(({ kind, initial }) => kind === 'secret' && initial === true);
  return (
    <Paper withBorder p="md">
      <form onSubmit={form.send} noValidate>
        <Fieldset variant="unstyled" disabled={readOnly !== undefined}>
          <Stack>
            {readOnly && <Note>{readOnly}</Note>}
            <Stack onFocus={({ target }) => (lastField.current = target)}>
              <Fields fields={fields} values={values} onChange={change} error={sending.error} />
            </Stack>
            {secrets.map(({ name, label }) => (
              <Secret
                key={name}
                label={label.replace(/^New /, 'stored ')}
                read={() => reveal(name)}
              />
            ))}
            {children}
            {isChanged && (
              <Group ref={returnFocus}>
                <LoadingButton type="submit" loading={sending.isPending}>
                  Save
                </LoadingButton>
                <Button variant="subtle" color="gray" onClick={form.discard}>
                  Discard changes
                </Button>
              </Group>
            )}
          </Stack>
        </Fieldset>
      </form>
    </Paper>
  );
}

const pathOf = ({ name, path = name.split('.') }: Field): string[] => path;

const valueAt = (json: Json, path: string[]): unknown =>
  path.reduce<unknown>((at, part) => Object(at)[part], json);

function withValue(json: Json, [first = '', ...rest]: string[], value: unknown): Json {
  const below = (json[first] ?? {}) as Json;
  return { ...json, [first]: rest.length === 0 ? value : withValue(below, rest, value) };
}
