/** The endpoint ids of a key's basic webhooks (specification 2.4); generated ids differ. */
export const BASIC_RAW = 'basic-raw';
export const BASIC_PROCESSED = 'basic-processed';
export const BASIC_ENDPOINTS: string[] = [BASIC_RAW, BASIC_PROCESSED];

/** Whether events of this type notify users, so that the processed webhook receives them. */
export const notifiesUsers = (eventType: string): boolean =>
  /^(?:comment_annotation\.|comment\.)/.test(eventType) || eventType === 'notification.add';
