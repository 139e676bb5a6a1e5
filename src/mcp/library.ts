/** The library of the protocol, which is loaded with the first request of an agent. */
export type Library = typeof import('@modelcontextprotocol/server');

export const loadLibrary = (): Promise<Library> => import('@modelcontextprotocol/server');
