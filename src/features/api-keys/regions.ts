/** Storage regions (specification 4.1). In a self-hosted service they are only labels on the key. */
// biome-ignore format: with one region a line, this would be too long
export const REALTIME_REGIONS = [
  'us-west1', 'us-west2', 'us-west3', 'us-west4', 'us-central1', 'us-east1', 'us-east4',
  'us-east5', 'us-south1', 'northamerica-northeast1', 'northamerica-northeast2',
  'northamerica-south1', 'southamerica-east1', 'southamerica-west1', 'europe-west1',
  'europe-west2', 'europe-west3', 'europe-west4', 'europe-west6', 'europe-west8',
  'europe-west9', 'europe-west10', 'europe-west12', 'europe-southwest1', 'europe-north1',
  'europe-north2', 'europe-central2', 'me-central1', 'me-central2', 'me-west1',
  'asia-south1', 'asia-south2', 'asia-southeast1', 'asia-southeast2', 'asia-east1',
  'asia-east2', 'asia-northeast1', 'asia-northeast2', 'asia-northeast3',
  'australia-southeast1', 'australia-southeast2', 'africa-south1',
] as const;

export const PERSISTENCE_REGIONS = [...REALTIME_REGIONS, 'nam5', 'eur3'] as const;

export const DEFAULT_REALTIME_REGION = 'us-central1';
/** The multi-region of North America. */
export const DEFAULT_PERSISTENCE_REGION = 'nam5';
