/** The search parameters of an address: texts by name. */
export type PageSearch = Record<string, string | undefined>;
