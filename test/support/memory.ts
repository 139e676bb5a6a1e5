import { dataOf, type Loose } from './answers.ts';
import type { Answer, TestServer } from './server.ts';

/** Calls that tests of the decision memory share. */
export const memoryOf = (server: TestServer, headers = server.keyHeaders) => {
  const call = (operation: string, data: object, own = headers): Promise<Answer> =>
    server.call(`/v2/memory/${operation}`, data, own);
  /** The `result` of an operation without the usual envelope. */
  const bare = async (operation: string, data: object): Promise<Loose> => {
    const { status, body } = await call(operation, data);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.result;
  };
  return {
    call,
    async add(judgments: object[]): Promise<string[]> {
      return dataOf(await call('judgments/add', { judgments })).recordIds;
    },
    async query(filters: object): Promise<Loose> {
      return dataOf(await call('judgments/query', filters));
    },
    async search(query: string, more: object = {}): Promise<Loose[]> {
      return dataOf(await call('search', { query, ...more }));
    },
    suggest: (query: string, place: object = {}): Promise<Loose> =>
      bare('suggest', { query, ...place }),
    alerts: (): Promise<Loose[]> => bare('alerts/list', {}),
  };
};
