import { modals } from '@mantine/modals';
import { useBlocker } from '@tanstack/react-router';

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
