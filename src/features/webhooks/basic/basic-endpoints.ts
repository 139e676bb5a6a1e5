/** The basic webhooks of a key (specification 2.4), as the engine knows them: no ids of ours. */
export const BASIC_RAW = 'basic-raw';
export const BASIC_PROCESSED = 'basic-processed';
export const BASIC_ENDPOINTS: string[] = [BASIC_RAW, BASIC_PROCESSED];

/** Events that notify somebody, and so reach the processed webhook. */
export const notifies = (eventType: string): boolean =>
  /^(?:comment_annotation\.|comment\.)/.test(eventType) || eventType === 'notification.add';
