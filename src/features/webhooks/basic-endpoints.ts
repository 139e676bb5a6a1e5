/** The endpoint ids of a key's basic webhooks (specification 2.4); generated ids differ. */
export const BASIC_RAW = 'basic-raw';
export const BASIC_PROCESSED = 'basic-processed';
export const BASIC_ENDPOINTS: string[] = [BASIC_RAW, BASIC_PROCESSED];
