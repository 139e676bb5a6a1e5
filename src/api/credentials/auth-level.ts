/** The levels of specification part 5, and the level of the administrator. */
export type AuthLevel = 'admin' | 'workspace' | 'apiKey';
