import { useSyncExternalStore } from 'react';

const neverChanges = () => () => {};

/** False on a server, and while a browser hydrates its page: neither knows the language and time zone of the other. */
export const useIsInBrowser = (): boolean =>
  useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
