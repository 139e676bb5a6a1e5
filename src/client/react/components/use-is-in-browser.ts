import { useSyncExternalStore } from 'react';

const neverChanges = () => () => {};

/**
 * Returns false on a server, and while a browser hydrates the page: both must render the same, but a server does not
 * know the browser's language and time zone. Returns true afterwards.
 */
export const useIsInBrowser = (): boolean =>
  useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
