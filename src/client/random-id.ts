const HEX = 16;

/** A random UUID, also without `crypto`, as in React Native. It must not be used as a secret. */
export const randomId = (): string =>
  globalThis.crypto?.randomUUID?.() ??
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () =>
    Math.floor(Math.random() * HEX).toString(HEX),
  );
