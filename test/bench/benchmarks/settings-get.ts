import type { Comparison } from '../harness/benchmark.ts';

/** An authenticated read of one row with one column. */
const settingsGet: Comparison = {
  name: 'settings-get',
  target: 0.8,
  oneCallerTarget: 1.1,
  async prepare(database) {
    await database.query('INSERT INTO service_settings (tenant_id) SELECT id FROM api_keys');
  },
  request: () => ({ path: '/v2/workspace/advancedwebhookconfig/get', data: {} }),
};

export default settingsGet;
