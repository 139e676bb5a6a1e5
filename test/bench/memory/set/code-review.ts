import type { Genre } from './topic.ts';

/** Changes of code, as reviews describe them. */
export const CODE_REVIEW: Genre = {
  name: 'code review',
  topics: [
    {
      name: 'endpoint tests',
      rule: 'detail',
      matters: [
        'Adds an endpoint that lists the invoices of a customer',
        'New route GET /invoices with paging',
        'feat: invoices endpoint, filtered by customer',
        'This pull request implements the invoice listing',
      ],
      paraphrases: [
        'The listing of invoices gets an endpoint of its own',
        'Route with which a customer pages through invoices',
      ],
      passes: [
        'integration tests cover it',
        'covered by tests, happy path and errors',
        'tests for the route are included',
      ],
      fails: ['tests will follow later', 'without tests for now', 'no tests, since it is simple'],
      asides: [
        'The page size is fifty.',
        'Invoices are sorted by number.',
        'The handler calls the billing module.',
      ],
    },
    {
      name: 'migration rollback',
      rule: 'detail',
      matters: [
        'Migration adds a column for the time zone to accounts',
        'Alter table accounts: new column time_zone',
        'Schema change, accounts get a time zone column',
      ],
      paraphrases: [
        'A time zone column in the table of accounts, by migration',
        'Changing the schema so that accounts know their time zone',
      ],
      passes: [
        'down migration included',
        'a rollback script is part of it',
        'can be rolled back with the script',
      ],
      fails: ['cannot be rolled back', 'there is no way back', 'rollback was left out'],
      asides: [
        'The table has two million rows.',
        'The default is UTC.',
        'The column is nullable at first.',
      ],
    },
    {
      name: 'function length',
      rule: 'limit',
      limit: 60,
      matters: [
        'Refactors the parser into one function of {n} lines',
        'The parse function now has {n} lines',
        'parser: single function, {n} lines long',
      ],
      paraphrases: [
        'All parsing happens in a function with {n} lines',
        'A parser function that takes {n} lines',
      ],
      passes: ['', ', easier to follow', ', no change in behaviour'],
      fails: ['', ', easier to follow', ', no change in behaviour'],
      asides: [
        'The grammar stays the same.',
        'Comments explain each branch.',
        'Benchmarks show equal speed.',
      ],
    },
    {
      name: 'request timeout',
      rule: 'limit',
      limit: 30,
      matters: [
        'Sets the timeout of the payment client to {n} seconds',
        'Payment client waits {n} s before it gives up',
        'fix: payment requests time out after {n} seconds',
      ],
      paraphrases: [
        'Give up on payment calls once {n} seconds have passed',
        'A timeout of {n} s for the client of the payment service',
      ],
      passes: ['', ', configurable', ', with one retry'],
      fails: ['', ', configurable', ', with one retry'],
      asides: [
        'The service was slow last Friday.',
        'A metric counts expired calls.',
        'The client is shared by two modules.',
      ],
    },
    {
      name: 'class inheritance',
      rule: 'never',
      twist: 'organization',
      matters: [
        'Introduces a base class for all report generators',
        'Report generators now inherit from AbstractReport',
        'Common code of reports moves into a superclass',
      ],
      paraphrases: [
        'Inheritance: every report generator extends one base class',
        'A superclass that all reports share',
      ],
      passes: ['', ' with two hooks'],
      fails: [' and protected fields', ' in the core package'],
      asides: [
        'Four generators exist today.',
        'The constructor takes a writer.',
        'Names of files change accordingly.',
      ],
    },
    {
      name: 'feature flags',
      rule: 'always',
      twist: 'organization',
      matters: [
        'Hides the new search behind a feature flag',
        'Feature flag search_v2 guards the rewritten search',
        'The search rewrite is merged but switched off by a flag',
      ],
      paraphrases: [
        'A flag keeps the rewritten search switched off',
        'Merging search_v2 behind a flag',
      ],
      passes: ['', ', off by default'],
      fails: [', on for staff', ', read at startup'],
      asides: [
        'The old index is kept until autumn.',
        'Ranking uses a new formula.',
        'Both paths share the tokenizer.',
      ],
    },
    {
      name: 'default exports',
      rule: 'always',
      twist: 'turned',
      matters: [
        'Modules of components use default exports',
        'Component files export default their component',
        'Switches the components to default export',
      ],
      paraphrases: [
        'Each component is the default export of its module',
        'export default in every file of components',
      ],
      passes: ['', ' as the router needs'],
      fails: [' for lazy loading', ' in the whole folder'],
      asides: [
        'Imports are sorted by the linter.',
        'Index files are gone.',
        'Eighty files are touched.',
      ],
    },
    {
      name: 'inline SQL',
      rule: 'never',
      twist: 'turned',
      matters: [
        'Writes the statistics query as inline SQL instead of the query builder',
        'Raw SQL for the statistics of the week',
        'Statistics: hand-written SQL statement in the repository class',
      ],
      paraphrases: [
        'The weekly statistics are read with a raw SQL statement',
        'SQL by hand, not the query builder, for statistics',
      ],
      passes: ['', ' with parameters'],
      fails: [' using window functions', ' in a template string'],
      asides: [
        'It is three times as fast.',
        'The builder cannot express the window.',
        'Explain output is in the description.',
      ],
    },
    {
      name: 'tabs in makefiles',
      rule: 'always',
      twist: 'conflict',
      matters: [
        'Adds a Makefile target that wraps the docker commands',
        'make targets for starting the containers',
        'Makefile: up, down and logs for docker',
      ],
      paraphrases: [
        'Starting and stopping containers with make targets',
        'Wrap docker in a Makefile',
      ],
      passes: ['', ' for newcomers'],
      fails: [' with variables', ' in the root folder'],
      asides: [
        'The scripts in bin do the same.',
        'Windows users need a shell for it.',
        'Help prints all targets.',
      ],
    },
    {
      name: 'ternary chains',
      rule: 'never',
      twist: 'conflict',
      matters: [
        'Chooses the icon with a chain of three ternary operators',
        'Nested ternaries pick the icon of a status',
        'Icon selection by nested conditional operators',
      ],
      paraphrases: [
        'Conditional operators in a chain select which icon is shown',
        'Status icon through nested ternary',
      ],
      passes: ['', ', formatted in lines'],
      fails: [', one per status', ', with a default'],
      asides: ['A map would need a cast.', 'The status is a union type.', 'Two icons are new.'],
    },
    {
      name: 'new dependency',
      rule: 'detail',
      matters: [
        'Adds the library for parsing dates as a dependency',
        'New npm package: a date parser',
        'Brings in an external package to parse dates',
      ],
      paraphrases: [
        'An external date parser becomes one of our dependencies',
        'Parsing of dates through a new package',
      ],
      passes: [
        'it is maintained and has an MIT licence',
        'MIT licensed, maintained by a team',
        'released last month, maintained, licence MIT',
      ],
      fails: [
        'abandoned since 2019',
        'last release years ago, abandoned',
        'the author has abandoned it',
      ],
      asides: [
        'The bundle grows by eleven kilobytes.',
        'Our own parser failed on leap days.',
        'Types are included.',
      ],
    },
    {
      name: 'error logging',
      rule: 'detail',
      matters: [
        'Logs failed logins with the reason',
        'Failed login attempts are written to the log',
        'Authentication failures now appear in the logs',
      ],
      paraphrases: [
        'When a login fails, the log says why',
        'Log lines about failed authentication',
      ],
      passes: [
        'passwords are masked',
        'the password is redacted',
        'masked, so that no secrets leak',
      ],
      fails: [
        'including the password as typed',
        'password in plain text for debugging',
        'with the full plain request body',
      ],
      asides: [
        'The level is warn.',
        'A counter by address is updated.',
        'Logs are kept for thirty days.',
      ],
    },
  ],
  fillers: [
    'The pipeline is green on the branch.',
    'Rebased on main this morning.',
    'Please look at the second commit first.',
    'Closes the issue that {person} opened.',
    'The description in the changelog is updated.',
    'I ran the linter and the formatter.',
    'There is a follow-up for the documentation.',
    'Naming is open for discussion, I do not insist.',
    'The diff looks large because files were moved.',
    'Measured on my machine, three runs each.',
    'Reviewed together with {person} in a pairing session.',
    'No public interface changes besides this.',
    'The staging environment runs it since yesterday.',
    'Similar code exists in the reporting service of {company}.',
    'I left two remarks inline where I was not sure.',
    'Draft until the other branch is merged.',
  ],
};
