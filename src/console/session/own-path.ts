/** Whether a text is the path of a page of the console. A browser takes `//` and `/\\` for a host. */
export const isOwnPath = (text: unknown): text is string =>
  typeof text === 'string' && /^\/(?![/\\])/.test(text);
