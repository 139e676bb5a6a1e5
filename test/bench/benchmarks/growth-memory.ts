import type { Client } from 'pg';
import { growthOfLists, type Tables } from '../growth/lists.ts';
import { queryOf } from '../memory/bulk-judgments.ts';
import { fillJudgments } from '../memory/fill-judgments.ts';
import { Random } from '../memory/random.ts';

const SEARCH = '/v2/memory/search';
const SUGGEST = '/v2/memory/suggest';
const QUERY = '/v2/memory/judgments/query';
/** The same questions at every size, so that the lines compare sizes. */
const random = new Random(2);
const queries = Array.from({ length: 100 }, () => queryOf(random, 0).query);
const organizationId = 'organization-3';
const COMPARED =
  'The more judgments there are, the more have words of the question. At most 1,000 are compared, which a large memory reaches.';

function tables(): Tables {
  const ask = (path: string, place: object) => (n: number) => ({
    path,
    data: { query: queries[n % queries.length], ...place },
  });
  const newest = (filters: object) => ({ path: QUERY, data: { limit: 10, ...filters } });
  return {
    'Decision memory: questions': {
      'search the key': ask(SEARCH, {}),
      'search an organization': ask(SEARCH, { organizationId }),
      'suggest from the key': ask(SUGGEST, {}),
      'suggest from an organization': ask(SUGGEST, { organizationId }),
    },
    'Decision memory: the newest judgments': {
      all: newest({}),
      'of a decision': newest({ decision: 'approved' }),
      'of agents': newest({ judgeType: 'agent' }),
      'of a decision, by agents': newest({ decision: 'rejected', judgeType: 'agent' }),
    },
  };
}

const fill = (database: Client, count: number) => fillJudgments(database, count);

export default growthOfLists({
  name: 'growth-memory',
  sizeOf: 'judgments',
  answersGrow: true,
  reasons: {
    'search the key': COMPARED,
    'suggest from the key': COMPARED,
    'suggest from an organization': COMPARED,
    'of a decision, by agents':
      'It passes over newer judgments that match one of the two filters. An index for both would cost every judgment a write.',
  },
  fill,
  tables,
});
