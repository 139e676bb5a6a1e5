import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Listeners } from '../../../client/listeners.ts';

interface Confirmation {
  question: string;
  /** Names the things that are deleted, and says whether they can be restored. */
  consequences?: string | undefined;
  confirmLabel: string;
  /** The label of the button that changes nothing. */
  cancelLabel?: string;
}

/** The dialogs that are open, the top one last. */
let openDialogs: readonly object[] = [];
const listeners = new Listeners();

function changeDialogs(dialogs: readonly object[]): void {
  openDialogs = dialogs;
  listeners.notify();
}

/** Puts a dialog above the others. @returns the function that removes it */
function addDialog(dialog: object): () => void {
  changeDialogs([...openDialogs, dialog]);
  // The Escape key that closes a dialog also reaches the dialog below it a moment later. The delay keeps that one open.
  return () =>
    void setTimeout(() => changeDialogs(openDialogs.toSpliced(openDialogs.indexOf(dialog), 1)));
}

/**
 * Lists the calling dialog among the open ones while it is open.
 *
 * @returns whether it is the top dialog, the only one that Escape closes
 */
export function useDialogStack(isOpen: boolean): boolean {
  const [dialog] = useState({});
  useEffect(() => (isOpen ? addDialog(dialog) : undefined), [isOpen, dialog]);
  return useSyncExternalStore(listeners.subscribe, () => openDialogs.at(-1) === dialog);
}

/** Asks before something is destroyed. @returns whether the person agrees */
export function askToConfirm(confirmation: Confirmation): Promise<boolean> {
  const { question, consequences, confirmLabel, cancelLabel = 'Cancel' } = confirmation;
  return new Promise((resolve) => {
    const remove = addDialog({});
    modals.openConfirmModal({
      title: question,
      children: consequences && <Text>{consequences}</Text>,
      labels: { confirm: confirmLabel, cancel: cancelLabel },
      confirmProps: { color: 'red' },
      cancelProps: { 'data-autofocus': true },
      // The question is shown above the panel or form from which it was opened.
      zIndex: 400,
      onConfirm: () => resolve(true),
      onClose: () => {
        remove();
        resolve(false);
      },
    });
  });
}

export const askToDiscard = (): Promise<boolean> =>
  askToConfirm({
    question: 'Discard unsaved changes?',
    confirmLabel: 'Discard changes',
    cancelLabel: 'Keep editing',
  });

let unsavedForms = 0;

/** Whether a form on the page has changes that are not saved. */
export const hasUnsavedChanges = (): boolean => unsavedForms > 0;

/** While a form has unsaved changes, asks before the page is left. */
export function useUnsavedChangesGuard(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    unsavedForms++;
    return () => void unsavedForms--;
  }, [isChanged]);
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: isChanged,
    // When the session has ended, `Shell` has already asked.
    shouldBlockFn: async ({ next }) =>
      !next.pathname.endsWith('/sign-in') && !(await askToDiscard()),
  });
}
