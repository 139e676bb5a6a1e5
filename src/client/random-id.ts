const HEX = 16;

/** A random UUID, also where there is no `crypto`, as in React Native. It is no secret. */
export const randomId = (): string =>
  globalThis.crypto?.randomUUID?.() ??
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () =>
    Math.floor(Math.random() * HEX).toString(HEX),
  );
