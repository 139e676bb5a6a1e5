import { useSyncExternalStore } from 'react';

const neverChanges = () => () => {};

/**
 * False on a server, and while a browser hydrates the page. Both must render the same, but the server does not know the
 * browser's language and time zone.
 */
export const useIsInBrowser = (): boolean =>
  useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
