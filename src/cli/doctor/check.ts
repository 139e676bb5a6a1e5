/** What one check of `doctor` found. */
export interface Finding {
  /** What was checked, such as `database`. */
  about: string;
  state: 'fine' | 'warning' | 'problem';
  message: string;
  /** How to mend it. */
  remedy?: string;
}

export const fine = (about: string, message: string): Finding => ({
  about,
  state: 'fine',
  message,
});
export const warning = (about: string, message: string, remedy: string): Finding => ({
  about,
  state: 'warning',
  message,
  remedy,
});
export const problem = (about: string, message: string, remedy: string): Finding => ({
  about,
  state: 'problem',
  message,
  remedy,
});
