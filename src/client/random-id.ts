const HEX = 16;

/** Returns a random UUID, even where `crypto` is missing, as in React Native. Do not use it as a secret. */
export const randomId = (): string =>
  globalThis.crypto?.randomUUID?.() ??
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () =>
    Math.floor(Math.random() * HEX).toString(HEX),
  );
