/** What an address says beside the page: texts by name. */
export type PageSearch = Record<string, string | undefined>;
