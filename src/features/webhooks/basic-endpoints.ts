/**
 * The endpoint ids of a key's two basic webhooks (specification 2.4): one sends events as they are, the other
 * adds recipients and readable texts. Generated ids never equal these.
 */
export const BASIC_RAW = 'basic-raw';
export const BASIC_PROCESSED = 'basic-processed';
export const BASIC_ENDPOINTS: string[] = [BASIC_RAW, BASIC_PROCESSED];
