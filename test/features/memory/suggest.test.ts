import { beforeEach, describe, expect, it } from 'vitest';
import { stanceOf } from '../../../src/features/memory/judgments/stance.ts';
import { fresh, invalid } from '../../support/answers.ts';
import { memoryOf } from '../../support/memory.ts';
import { createTenant, startTestServer } from '../../support/server.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

const server = await startTestServer({}, { clock: { now: () => NOW } });
let memory: ReturnType<typeof memoryOf>;
// Each test has a memory of its own, since judgments of other tests with a common word would count. It holds
// judgments of other matters, by which rare words are told from frequent ones.
beforeEach(async () => {
  memory = memoryOf(server, await createTenant(server));
  const other = (n: number) =>
    matter().approved({ query: `${THINGS[n % THINGS.length]}: ${fresh('other')}` });
  await memory.add(times(100, other));
});

const THINGS = ['lamp', 'desk', 'chair', 'shelf', 'clock', 'frame', 'stool', 'couch'];
const NOTHING = { primary: null, conflict: null };

/** A subject, and judgments about it. */
function matter() {
  const name = fresh('matter').replaceAll('-', ' ');
  const judged = (decision: string, more: object = {}) => ({
    query: `Request about ${name}`,
    decision,
    reviewer: { userId: fresh('reviewer') },
    createdAt: NOW - DAY,
    ...more,
  });
  return { name, approved: (more?: object) => judged('approved', more), judged };
}

const times = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('memory/suggest', () => {
  it('requires two judgments that support it, about something alike', async () => {
    const { name, approved, judged } = matter();
    const nothing = { status: 200, body: { result: NOTHING } };
    expect(await memory.call('suggest', { query: name })).toMatchObject(nothing);
    await memory.add([approved()]);
    expect(await memory.suggest(name)).toEqual(NOTHING);
    await memory.add([judged('rejected')]);
    expect(await memory.suggest(name)).toEqual(NOTHING);
    await memory.add([approved(), approved()]);
    const { primary, conflict } = await memory.suggest(name);
    expect(primary).toMatchObject({ recommendation: 'approve', basedOn: 3, uniqueReviewers: 3 });
    expect(conflict).toBeNull();
    expect(await memory.suggest('request about holidays on a distant planet')).toEqual(NOTHING);
  });

  it('counts every known word for a decision', () => {
    const stances = {
      ...{ approved: 1, agree: 1, endorse: 1, document_approved: 1 },
      ...{ rejected: -1, disagree: -1, document_rejected: -1, deferred: 0, constructor: 0 },
    };
    for (const [decision, stance] of Object.entries(stances)) {
      expect(stanceOf(decision), decision).toBe(stance);
    }
  });

  it('knows an item in the words that most judgments have', async () => {
    const { approved } = matter();
    const query = `Refund of a cancelled order: the customer cancelled within fourteen days, the goods came back
      undamaged in their original packaging, the carrier confirmed receipt, the payment provider settled the
      invoice, accounting checked the bank details, no earlier claims exist, the contract names no fee, and
      the account manager recommends paying back the full amount including shipping.`;
    await memory.add(times(400, () => approved({ query })));
    expect((await memory.suggest(query)).primary).toMatchObject({ recommendation: 'approve' });
  });

  it('includes a conflict if that has two judgments as well', async () => {
    const { name, approved, judged } = matter();
    await memory.add([...times(3, () => approved()), ...times(2, () => judged('rejected'))]);
    const { primary, conflict } = await memory.suggest(name);
    expect(primary).toMatchObject({ recommendation: 'approve', basedOn: 3 });
    expect(conflict).toMatchObject({ recommendation: 'reject', basedOn: 2 });
    expect(primary.confidence).toBeGreaterThan(conflict.confidence);
    expect(primary.confidence + conflict.confidence).toBeCloseTo(1);
    expect(primary.caveats).toContainEqual(
      expect.stringMatching(/^Reviewers disagree: .* approve, .* reject\.$/),
    );
  });

  it('includes a conflict of reviewers who agree about similar matters', async () => {
    const { judged } = matter();
    const name = fresh('order').replaceAll('-', '');
    const reviewers = times(4, () => ({ reviewer: { userId: fresh('reviewer') } }));
    const by = (n: number, decision: string, what: string) => {
      const query = `${name}: ${what} ${THINGS[(n + Math.floor(n / 4)) % THINGS.length]}`;
      return judged(decision, { ...reviewers[n % reviewers.length], query });
    };
    await memory.add([
      ...times(12, (n) => by(n, n % 4 < 2 ? 'approved' : 'rejected', 'budget')),
      ...times(16, (n) => by(n, 'approved', 'travel')),
      ...times(16, (n) => by(n, 'rejected', 'hiring')),
    ]);
    const { conflict } = await memory.suggest(`${name}: budget lamp`);
    expect(conflict).not.toBeNull();
  });

  it('includes no conflict with a single reviewer', async () => {
    const { name, approved, judged } = matter();
    const reviewer = { userId: fresh('reviewer') };
    const query = (n: number) => `Request about ${name}: ${THINGS[n]}`;
    await memory.add([
      ...times(8, (n) => approved({ query: query(n) })),
      ...times(8, (n) => judged('rejected', { query: query(n), reviewer })),
    ]);
    expect((await memory.suggest(`Request about ${name}`)).conflict).toBeNull();
  });

  it('includes no conflict where two of many err', async () => {
    const { name, approved, judged } = matter();
    await memory.add(times(14, (n) => (n % 7 === 3 ? judged('rejected') : approved())));
    expect((await memory.suggest(name)).conflict).toBeNull();
  });

  it('gains confidence by judgments that agree, without a caveat, and never reaches certainty', async () => {
    const { name, approved } = matter();
    const confidences: number[] = [];
    for (const count of [2, 4, 20]) {
      await memory.add(times(count, () => approved()));
      const { primary } = await memory.suggest(`Request about ${name}`);
      expect(primary.caveats).toEqual([]);
      confidences.push(primary.confidence);
    }
    expect(confidences).toEqual(confidences.toSorted((a, b) => a - b));
    const [first = 0, , last = 0] = confidences;
    expect(first).toBeGreaterThan(0.5);
    expect(first).toBeLessThan(0.84);
    expect(last).toBeGreaterThan(first);
    expect(last).toBeLessThan(1);
  });

  it('returns the same answer to the same question', async () => {
    const { name, approved, judged } = matter();
    await memory.add(times(30, (n) => (n % 3 ? approved() : judged('rejected'))));
    const first = await memory.suggest(name);
    for (const _ of [1, 2]) expect(await memory.suggest(name)).toEqual(first);
  });
});

describe('the scope of a suggestion', () => {
  it('is the narrowest with evidence, however often others decide otherwise', async () => {
    const { name, approved, judged } = matter();
    const [organizationId, documentId] = [fresh('org'), fresh('doc')];
    const place = { organizationId, documentId };
    await memory.add(times(100, (n) => approved({ organizationId: `other-${n % 9}` })));
    expect((await memory.suggest(name, place)).primary).toMatchObject({
      ...{ scope: 'apiKey', scopeLabel: 'All content', recommendation: 'approve' },
    });
    await memory.add(times(2, () => judged('rejected', { organizationId })));
    expect(await memory.suggest(name, place)).toMatchObject({
      primary: {
        ...{ scope: 'organization', scopeLabel: 'This organization', recommendation: 'reject' },
        ...{ basedOn: 2, caveats: ['This organization has its own rule.'] },
      },
      conflict: null,
    });
    expect((await memory.suggest(name)).primary.recommendation).toBe('approve');
    await memory.add(times(2, () => approved(place)));
    expect((await memory.suggest(name, place)).primary).toMatchObject({
      ...{ scope: 'document', scopeLabel: 'This document', recommendation: 'approve' },
    });
  });

  it('requires an organization for a document, and a question with words', async () => {
    const answer = await memory.call('suggest', { query: 'x', documentId: 'plan' });
    expect(answer.body).toEqual(invalid('organizationId'));
    expect((await memory.call('suggest', { query: '  ' })).body).toEqual(invalid('query'));
  });
});

describe('between opposite decisions, a suggestion follows', () => {
  /** Two kinds of one matter, which differ in a few words, with opposite decisions. */
  const kinds = (
    { name, judged }: ReturnType<typeof matter>,
    good: (n: number) => string,
    bad: (n: number) => string,
  ) =>
    times(8, (n) => [
      judged('approved', { query: `${name}: ${good(n)}` }),
      judged('rejected', { query: `${name}: ${bad(n)}` }),
    ]).flat();
  const claim = (how: string, thing = 'lamp') =>
    `our ${thing} lasts twice as long as any other, ${how} evidence`;

  it('the one word in which texts differ', async () => {
    const about = matter();
    const { name } = about;
    const [right, wrong] = [claim('with'), claim('without')];
    await memory.add(
      kinds(
        about,
        () => right,
        () => wrong,
      ),
    );
    const good = await memory.suggest(`${name}: ${right}`);
    const bad = await memory.suggest(`${name}: ${wrong}`);
    expect(good.primary.recommendation).toBe('approve');
    expect(bad.primary.recommendation).toBe('reject');
  });

  it('the rule, even if exactly the words of the question were once decided otherwise by mistake', async () => {
    const about = matter();
    const slip = about.judged('rejected', { query: `${about.name}: ${claim('with')}` });
    const ofThing = (how: string) => (n: number) => claim(how, THINGS[n % THINGS.length]);
    const [, ...rest] = kinds(about, ofThing('with'), ofThing('without'));
    await memory.add([slip, ...rest]);
    const { primary } = await memory.suggest(slip.query);
    expect(primary.recommendation).toBe('approve');
  });

  it('the size of a number', async () => {
    const about = matter();
    const { name } = about;
    const trip = (euro: number) => `${name} for ${euro} euro`;
    await memory.add(
      kinds(
        about,
        (n) => trip(110 + 17 * n),
        (n) => trip(640 + 90 * n),
      ),
    );
    const decisionOf = async (euro: number) =>
      (await memory.suggest(`${name}: ${trip(euro)}`)).primary.recommendation;
    expect(await decisionOf(150)).toBe('approve');
    expect(await decisionOf(990)).toBe('reject');
  });

  it('the number that decides, among several that texts share', async () => {
    const { name, judged } = matter();
    const orders = ['3 seats', '3 seats and 5 lamps', '5 lamps'];
    const about = (order: string) => `${name}: ${order}`;
    await memory.add(
      times(39, (n) => {
        const order = orders[n % 3] ?? '';
        return judged(order === '5 lamps' ? 'rejected' : 'approved', { query: about(order) });
      }),
    );
    const answers = await Promise.all(orders.map((order) => memory.suggest(about(order))));
    const recommended = answers.map(({ primary }) => primary.recommendation);
    expect(recommended).toEqual(['approve', 'approve', 'reject']);
  });

  it('the rule, however many newer decisions about other matters share a word with it', async () => {
    const { name, approved, judged } = matter();
    const shared = name.split(' ').at(-1);
    const other = () => `${shared} ${times(15, () => fresh('w').replaceAll('-', '')).join(' ')}`;
    await memory.add([
      ...times(10, () => approved()),
      ...times(8, () => judged('rejected', { query: other(), createdAt: NOW })),
    ]);
    const { primary } = await memory.suggest(name);
    expect(primary).toMatchObject({ recommendation: 'approve', basedOn: 10 });
  });

  it('what was decided about one sentence of a long text', async () => {
    const { name, judged } = matter();
    const others = times(40, (n) => ({
      query: `Paragraph ${n} of the general terms: notices are sent by letter, invoices are payable
        within a month, headings are for convenience, and amendments need a signature.`,
      decision: 'approved',
      createdAt: NOW - DAY,
    }));
    await memory.add([...others, ...times(3, () => judged('rejected'))]);
    const around = 'Notices are sent by letter. Invoices are payable within a month. ';
    const { primary } = await memory.suggest(
      `${around}Headings are for convenience. Request about ${name}. Amendments need a signature.`,
    );
    expect(primary).toMatchObject({ recommendation: 'reject', basedOn: 3 });
  });

  it('no sentences that any text of the key may have', async () => {
    const usual = times(8, (n) => `Sentence ${fresh('a')} of the ${fresh('b')} terms ${n}`);
    const written = (about: string, n: number) =>
      [...times(5, (m) => usual[(n + m) % usual.length]), about].join('. ');
    const known = times(10, () => matter().name);
    await memory.add(
      known.flatMap((name, at) =>
        times(8, (n) => ({
          query: written(`Request about ${name}`, at + n),
          decision: at % 2 === 0 ? 'approved' : 'rejected',
        })),
      ),
    );
    const about =
      'Bicycles for apprentices, parking permits, new carpets, a photographer from Oslo';
    expect(await memory.suggest(written(about, 3))).toEqual(NOTHING);
    const { primary } = await memory.suggest(written(`Question about ${known[0]}`, 3));
    expect(primary.recommendation).toBe('approve');
  });
});

describe('a history', () => {
  it('of thousands of identical judgments gives an honest answer', async () => {
    const { name, approved } = matter();
    const all = times(1_000, () => approved());
    for (let batch = 0; batch < 6; batch++) await memory.add(all);
    const { primary, conflict } = await memory.suggest(name);
    expect(primary).toMatchObject({ recommendation: 'approve' });
    expect(primary.confidence).toBeLessThan(1);
    expect(conflict).toBeNull();
  });

  it('in any script, even without words, gives an honest answer', async () => {
    const questions = [
      ['新しい事務所の契約を更新する', 'approve'],
      ['تجديد عقد المكتب الجديد', 'approve'],
      ['Überlänge der Präambel genügt', 'approve'],
      ['?!', undefined],
      ['👍🏽 🎉', undefined],
      ['and what of this', 'approve'],
    ] as const;
    const { approved } = matter();
    await memory.add(questions.flatMap(([query]) => times(5, () => approved({ query }))));
    for (const [query, recommendation] of questions) {
      const { primary } = await memory.suggest(query);
      expect(primary?.recommendation, query).toBe(recommendation);
      if (primary) expect(primary.confidence).toBeLessThan(1);
    }
  });

  it('of contradicting pairs gives a conflict, with little confidence', async () => {
    const { name, approved, judged } = matter();
    await memory.add(times(20, (n) => (n % 2 ? approved() : judged('rejected'))));
    const { primary, conflict } = await memory.suggest(`Request about ${name}`);
    expect(primary.confidence).toBeLessThan(0.7);
    expect(conflict).toMatchObject({ basedOn: 10 });
  });
});

describe('more weight is given to', () => {
  it.each<[what: string, lesser: object, greater: object]>([
    ['the newer judgment', { createdAt: NOW - 700 * DAY }, {}],
    ['the judgment of a human', { judgeType: 'agent' }, {}],
    [
      'the more similar judgment',
      { query: 'a balloon under circumstances that nobody had thought of before' },
      { query: 'a balloon' },
    ],
  ])('%s', async (_what, lesser, greater) => {
    const { approved, judged } = matter();
    const query = 'a balloon';
    const order = times(3, () => approved({ query, ...lesser }));
    await memory.add([...order, ...times(3, () => judged('rejected', { query, ...greater }))]);
    expect((await memory.suggest(query)).primary.recommendation).toBe('reject');
  });

  it('judgments after a reversal, however many came before', async () => {
    const { name, approved, judged } = matter();
    const old = times(9, (n) => approved({ createdAt: NOW - (60 + n) * DAY }));
    await memory.add([
      ...old,
      ...times(5, (n) => judged('rejected', { createdAt: NOW - n * DAY })),
    ]);
    const { primary, conflict } = await memory.suggest(name);
    expect(primary).toMatchObject({ recommendation: 'reject', basedOn: 5 });
    expect(conflict).toBeNull();
    expect(primary.caveats).toEqual([
      'Such items have been decided differently since 11 January 2027.',
    ]);
  });
});

describe('each reviewer', () => {
  it('counts once for an item, however often and in whatever words they approve it', async () => {
    const { name, approved, judged } = matter();
    const ada = { reviewer: { userId: 'ada' } };
    const query = `Request about ${name}`;
    const again = (n: number) => approved({ ...ada, query: n % 2 ? query : `${query}, again!` });
    await memory.add(times(12, again));
    expect(await memory.suggest(query)).toEqual(NOTHING);
    await memory.add(times(2, () => judged('rejected')));
    const { primary, conflict } = await memory.suggest(query);
    expect(primary).toMatchObject({ recommendation: 'reject', basedOn: 2, uniqueReviewers: 2 });
    expect(conflict).toBeNull();
  });

  it('does not outvote others who decided before, however often they repeat themselves', async () => {
    const { name, approved, judged } = matter();
    const query = `Request about ${name}`;
    await memory.add(times(3, () => judged('rejected', { createdAt: NOW - 9 * DAY })));
    await memory.add(times(300, () => approved({ reviewer: { userId: 'bot' } })));
    const { primary } = await memory.suggest(query);
    expect(primary).toMatchObject({ recommendation: 'reject', basedOn: 3, uniqueReviewers: 3 });
  });

  it('counts by their last decision, also of several in one call, in the order of the list', async () => {
    const { name, approved, judged } = matter();
    const reviewers = times(4, () => ({ reviewer: { userId: fresh('reviewer') } }));
    await memory.add(reviewers.map((own) => approved({ ...own, createdAt: NOW - 9 * DAY })));
    expect((await memory.suggest(name)).primary.recommendation).toBe('approve');
    await memory.add([
      ...reviewers.map((own) => approved(own)),
      ...reviewers.map((own) => judged('rejected', own)),
    ]);
    const { primary, conflict } = await memory.suggest(name);
    expect(primary).toMatchObject({ recommendation: 'reject', basedOn: 4 });
    expect(conflict).toBeNull();
  });

  it('counts for each of several items', async () => {
    const { name, approved } = matter();
    const ada = { reviewer: { userId: 'ada' } };
    const items = ['a chair of oak', 'two lamps, brass', 'curtains in blue velvet'];
    await memory.add(items.map((item) => approved({ ...ada, query: `${name}: ${item}` })));
    expect((await memory.suggest(name)).primary).toMatchObject({ basedOn: 3, uniqueReviewers: 1 });
  });
});

describe('the reasons and caveats of a suggestion', () => {
  it('are the most frequent ones, without near-duplicates, at most five', async () => {
    const { name, approved, judged } = matter();
    const reasons = [
      'Below the limit of the sales team.',
      'below the limit of the sales team',
      'It is below the limit of our sales team!',
      'The customer is a long-standing one.',
      'The customer is long-standing.',
      'Legal has no objection.',
      'Paid in advance.',
      'Signed by both parties.',
      'Covered by insurance.',
      '   ',
    ];
    await memory.add(reasons.map((reasoning) => approved({ reasoning })));
    await memory.add([judged('rejected', { reasoning: 'Against the policy.' })]);
    const { topReasons } = (await memory.suggest(name)).primary;
    expect(topReasons).toHaveLength(5);
    expect(topReasons[0].toLowerCase()).toContain('limit of');
    expect(topReasons[1]).toContain('long-standing');
    expect(topReasons).not.toContain('Against the policy.');
  });

  it('warn of old evidence, a single reviewer and weak similarity', async () => {
    const { name, approved } = matter();
    const extras = [
      'plus much else that is not asked about: storage, transport, customs',
      'together with insurance, packaging, a courier and nothing more',
      'besides cleaning, painting, new carpets and some furniture',
    ];
    const old = { createdAt: NOW - 200 * DAY, reviewer: { userId: 'ada' } };
    await memory.add(extras.map((extra) => approved({ ...old, query: `${name} ${extra}` })));
    const { caveats, uniqueReviewers } = (
      await memory.suggest(`${name} with gold plating, engraved initials and a lining of velvet`)
    ).primary;
    expect(uniqueReviewers).toBe(1);
    expect(caveats).toEqual([
      expect.stringContaining('older than 180 days'),
      'All supporting judgments are by a single reviewer.',
      expect.stringContaining('loosely similar'),
    ]);
  });
});
