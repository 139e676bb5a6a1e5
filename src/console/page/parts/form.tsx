import { Alert, Button, Fieldset, Group, Modal, SimpleGrid, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { toCollaborationError } from '../../../client/error.ts';
import { requireSuccess } from '../api/failure.ts';
import { type KeyCall, usePageKey } from '../api/read.ts';
import { LoadingButton, WriteButton, type WriteButtonProps } from './action-button.tsx';
import { Failure } from './basics.tsx';
import { askToDiscard, useDialogStack, useUnsavedChangesGuard } from './dialogs.tsx';
import { type Field, FieldInput } from './fields.tsx';
import { showSuccess } from './notices.ts';

/** The values of fields by their names. */
export type Values = Record<string, unknown>;

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const differingFrom = (values: Values, others: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isSame(value, others[name])),
  );

interface FieldsProps {
  fields: readonly Field[];
  values: Values;
  onChange: (changes: Values) => void;
  error: unknown;
}

/** The fields of a form. An issue that the API reports is shown at its field. */
export function Fields({ fields, values, onChange, error }: FieldsProps) {
  const issues = error ? toCollaborationError(error).issues : [];
  // A problem within a list or an object is shown at the field that holds it. In a batch, the field's name is
  // at the end of the path, such as `documents[0].accessType`.
  const problemOf = ({ name }: Field) =>
    (
      issues.find(
        ({ path }) => path.startsWith(name) && /^($|[.[])/.test(path.slice(name.length)),
      ) ?? issues.find(({ path }) => path.endsWith(`.${name}`))
    )?.message;
  const inputOf = (field: Field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name]}
      onChange={(value) => onChange({ [field.name]: value })}
      error={problemOf(field)}
      disabled={field.needs !== undefined && values[field.needs] !== true}
      organizationId={values.organizationId as string | undefined}
    />
  );
  return (
    <>
      {Boolean(error) &&
        (fields.some(problemOf) ? (
          <Alert color="red">Check the highlighted fields.</Alert>
        ) : (
          <Failure error={error} />
        ))}
      {/* The fields of a group follow each other, so the first one shows all of them. */}
      {fields.map((field, at) => {
        const { group } = field;
        if (group === undefined) return inputOf(field);
        if (fields[at - 1]?.group === group) return null;
        return (
          <Fieldset key={group} legend={group}>
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs">
              {fields.filter((each) => each.group === group).map(inputOf)}
            </SimpleGrid>
          </Fieldset>
        );
      })}
    </>
  );
}

interface FormHandlers<Result> {
  submit: (values: Values, changes: Values) => Promise<Result>;
  onSuccess: (result: Result, sent: Values) => void;
}

/** The state of a form. Only values that differ from the initial ones count as changed. */
export function useForm<Result>(initial: Values, { submit, onSuccess }: FormHandlers<Result>) {
  const [changes, setChanges] = useState<Values>({});
  const sending = useMutation({
    mutationFn: async (sent: Values) => requireSuccess(await submit({ ...initial, ...sent }, sent)),
    onSuccess,
  });
  return {
    values: { ...initial, ...changes },
    isChanged: Object.keys(changes).length > 0,
    change: (next: Values) =>
      setChanges((current) => differingFrom({ ...current, ...next }, initial)),
    /** Forgets the changes that were sent, but not those made since. */
    forget: (sent: Values) => setChanges((current) => differingFrom(current, sent)),
    discard: () => {
      setChanges({});
      sending.reset();
    },
    send: (event: FormEvent) => {
      event.preventDefault();
      sending.mutate(changes);
    },
    sending,
  };
}

interface FormProps<Result> {
  /** The title of the form; by default the label of the button that opens it. */
  title?: string;
  /** The label of the button that sends the form; by default `Save`. */
  submitLabel?: string;
  fields: Field | readonly Field[];
  /** @param changes the values that differ from the initial ones */
  submit: (call: KeyCall, values: never, changes: Values) => Promise<Result>;
  /** The notice after success. */
  notice?: string | ((values: Values, result: Result) => string);
  /** Called after success. */
  onDone?: (values: Values, result: Result) => void;
  /** Shown above the fields. If the form stays open after success, `result` is the response. */
  intro?: (result: Result | undefined) => ReactNode;
  /** Whether the form stays open after success. */
  staysOpen?: boolean;
  /** Whether the form may be sent with these values. */
  isReady?: (values: never) => boolean;
}

export interface FormButtonProps<Result> extends FormProps<Result> {
  label: string;
  button?: WriteButtonProps;
}

export function FormButton<Result>({ label, button, ...form }: FormButtonProps<Result>) {
  const [isOpen, { open, close }] = useDisclosure();
  const opener = useRef<HTMLButtonElement>(null);
  const leave = () => {
    close();
    opener.current?.focus();
  };
  return (
    <>
      <WriteButton size="xs" variant="default" {...button} ref={opener} onClick={open}>
        {label}
      </WriteButton>
      {isOpen && <FormDialog title={label} {...form} onClose={leave} />}
    </>
  );
}

/** The values of empty fields by their kind. Fields of other kinds begin with an empty text. */
const EMPTY_VALUES: Record<string, unknown> = { switch: false, list: [] };

const initialOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.map(({ name, kind, initial }) => [name, initial ?? EMPTY_VALUES[kind ?? ''] ?? '']),
  );

/** Makes the dialog focus the first field of the form. Otherwise it would focus its close button. */
function markFirstField(form: HTMLFormElement | null): void {
  form?.querySelector('input, textarea')?.setAttribute('data-autofocus', '');
}

/** A form in a dialog. It asks before it discards changes. */
function FormDialog<Result>(props: FormProps<Result> & { onClose: () => void }) {
  const { title, submitLabel = 'Save', submit, notice, onDone, intro, isReady, staysOpen } = props;
  const { onClose } = props;
  const fields = [props.fields].flat();
  const [initial] = useState(() => initialOf(fields));
  const { call } = usePageKey();
  const isOnTop = useDialogStack(true);
  const send = (values: Values, changes: Values) => submit(call, values as never, changes);
  const onSuccess = (result: Result, sent: Values) => {
    const values = { ...initial, ...sent };
    if (notice) showSuccess(typeof notice === 'function' ? notice(values, result) : notice);
    if (!staysOpen) onClose();
    onDone?.(values, result);
  };
  const form = useForm(initial, { submit: send, onSuccess });
  const { values, sending } = form;
  // While the form is being sent, leaving the page needs no question: `onDone` may open another page.
  useUnsavedChangesGuard(form.isChanged && !staysOpen && !sending.isPending);
  const leave = async () => {
    if (staysOpen || !form.isChanged || (await askToDiscard())) onClose();
  };
  return (
    <Modal
      opened
      onClose={() => void leave()}
      closeOnEscape={isOnTop}
      title={title}
      // The dialog is above the panel from which it was opened, and below the lists of its own fields.
      zIndex={250}
    >
      <form ref={markFirstField} onSubmit={form.send}>
        <Stack gap="sm">
          {intro?.(sending.data)}
          <Fields fields={fields} values={values} onChange={form.change} error={sending.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => void leave()}>
              {staysOpen ? 'Close' : 'Cancel'}
            </Button>
            <LoadingButton
              type="submit"
              loading={sending.isPending}
              disabled={isReady?.(values as never) === false}
            >
              {submitLabel}
            </LoadingButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
