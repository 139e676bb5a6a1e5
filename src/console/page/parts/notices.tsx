import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useBlocker } from '@tanstack/react-router';
import { failureOf } from '../api/failure.ts';

/** Says that an act was done. */
export const done = (message: string): void =>
  void notifications.show({ message, color: 'teal', withBorder: true });

/** Says why an act failed: the API's message, and the request's id. */
export function failed(error: unknown): void {
  const { message, requestId } = failureOf(error);
  notifications.show({
    title: message,
    message: requestId ? `Request ${requestId}` : '',
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
  });
}

/** Asks whether changes in a form may be lost. */
export const askToDiscard = (): Promise<boolean> =>
  new Promise((resolve) => {
    modals.openConfirmModal({
      title: 'Discard unsaved changes?',
      labels: { confirm: 'Discard changes', cancel: 'Keep editing' },
      confirmProps: { color: 'red' },
      zIndex: 400,
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });

/** Asks before the page is left while a form on it has changes. */
export function useUnsaved(isChanged: boolean): void {
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: isChanged,
    // Nothing can be saved after the session has ended.
    shouldBlockFn: async ({ next }) =>
      !next.pathname.endsWith('/sign-in') && !(await askToDiscard()),
  });
}
