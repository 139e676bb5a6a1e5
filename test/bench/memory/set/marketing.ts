import type { Genre } from './topic.ts';

/** Copy for websites, mails and advertisements. */
export const MARKETING: Genre = {
  name: 'marketing copy',
  topics: [
    {
      name: 'fastest claim',
      rule: 'detail',
      matters: [
        'The fastest backup on the market',
        'No other backup is as fast as ours',
        'Backups faster than with any competitor',
        'Fastest of all: our backup',
      ],
      paraphrases: [
        'Nobody on the market backs up faster',
        'Our backup beats every competitor in speed',
      ],
      passes: [
        'as measured by an independent laboratory',
        'according to the benchmark of a laboratory, linked below',
        'proven by an independent benchmark',
      ],
      fails: ['we are convinced', 'everybody says so', 'just believe us'],
      asides: [
        'Restores are a matter of minutes.',
        'Files of any size are supported.',
        'Runs in the background.',
      ],
    },
    {
      name: 'customer quotes',
      rule: 'detail',
      matters: [
        '"It saved us a whole department", says a customer about the planner',
        'Customer voice on the planner: "we never want to be without it"',
        'Quote about the planner for the start page: "a new era of planning"',
      ],
      paraphrases: [
        'What a customer says of the planner, as a quote',
        'A voice from our customers: the planner is a new era',
      ],
      passes: [
        '- {person}, head of planning at {company}',
        '- {person} of {company}, approved by name',
        '(named: {person}, {company})',
      ],
      fails: ['- anonymous', '- name withheld', '(no name given)'],
      asides: [
        'The planner has a calendar view.',
        'Teams plan shifts with it.',
        'Quotes rotate every ten seconds.',
      ],
    },
    {
      name: 'headline length',
      rule: 'limit',
      limit: 8,
      matters: [
        'Headline of {n} words for the autumn campaign',
        'Autumn campaign, headline with {n} words',
        'The slogan of the autumn has {n} words',
      ],
      paraphrases: [
        'For autumn a slogan that counts {n} words',
        'Campaign headline, {n} words, autumn',
      ],
      passes: ['', ' in bold', ' above the picture'],
      fails: ['', ' in bold', ' above the picture'],
      asides: [
        'Leaves and warm colours accompany it.',
        'The campaign runs in four countries.',
        'Posters hang in stations.',
      ],
    },
    {
      name: 'promotion discount',
      rule: 'limit',
      limit: 25,
      matters: [
        'Mail to all subscribers: {n} % off until Sunday',
        'Newsletter promotes {n} percent discount on the annual plan',
        'Promotion in the newsletter, {n} percent off',
      ],
      paraphrases: [
        'Subscribers save {n} % when they order by Sunday',
        'A discount of {n} percent, announced by mail',
      ],
      passes: ['', ', with a coupon', ', today only'],
      fails: ['', ', with a coupon', ', today only'],
      asides: [
        'The coupon works once per account.',
        'The plan includes ten seats.',
        'Unsubscribed addresses are left out.',
      ],
    },
    {
      name: 'emoji in subjects',
      rule: 'never',
      twist: 'organization',
      matters: [
        'Subject line with emoji for the spring mailing',
        'Spring mailing: rocket emoji in the subject',
        'Put an emoji at the start of the subject line',
      ],
      paraphrases: [
        'A rocket emoji before the subject of the mailing',
        'Mailing in spring whose subject has emoji',
      ],
      passes: ['', ', a small one'],
      fails: [', two of them', ', as others do'],
      asides: [
        'The open rate was low in winter.',
        'Some mail programs show a box instead.',
        'The preview text continues the subject.',
      ],
    },
    {
      name: 'informal address',
      rule: 'always',
      twist: 'organization',
      matters: [
        'Address readers informally in the welcome mail',
        'Welcome mail with first names and a casual tone',
        'Casual, informal greeting for new users',
      ],
      paraphrases: [
        'New users are welcomed casually by first name',
        'An informal tone in greetings',
      ],
      passes: ['', ' like friends'],
      fails: [' in every language', ' from the first line'],
      asides: [
        'The mail is sent an hour after the registration.',
        'It links to three tutorials.',
        'The sender is a person, not the company.',
      ],
    },
    {
      name: 'competitor names',
      rule: 'never',
      twist: 'turned',
      matters: [
        'Comparison table that names {company} as a competitor',
        'Landing page comparing us with {company} by name',
        'We name {company} and show what they lack',
      ],
      paraphrases: [
        'A table that compares our product with that of {company}',
        'Competitors called by name on the landing page',
      ],
      passes: ['', ' in five rows'],
      fails: [' with check marks', ' with their logo'],
      asides: [
        'Prices are those of today.',
        'The page is for search engines mostly.',
        'Rows can be collapsed.',
      ],
    },
    {
      name: 'countdown timers',
      rule: 'always',
      twist: 'turned',
      matters: [
        'Countdown timer on the offer page',
        'The offer page counts down the remaining hours',
        'Show a timer: the offer ends in two hours',
      ],
      paraphrases: [
        'A clock counts down until the offer ends',
        'Remaining hours of the offer in a timer',
      ],
      passes: ['', ' in red'],
      fails: [' at the top', ' with seconds'],
      asides: [
        'The offer is real and ends then.',
        'Phones show the timer below the price.',
        'Conversion rose in the test.',
      ],
    },
    {
      name: 'health benefits',
      rule: 'detail',
      twist: 'turned for one kind',
      matters: [
        'Our standing desk prevents back pain',
        'Say goodbye to back pain with the standing desk',
        'The desk keeps your back healthy',
      ],
      paraphrases: [
        'Back pain ends when you stand at this desk',
        'A healthy back, thanks to the standing desk',
      ],
      passes: [
        'a clinical study confirms it',
        'as the cited study shows',
        '(study of the university clinic, see footnote)',
      ],
      fails: [
        'guaranteed, without any study',
        'we promise, no study needed',
        'from our own experience, not a study',
      ],
      asides: [
        'The height is adjusted by a motor.',
        'Oak or birch, oiled.',
        'Delivered in two parcels.',
      ],
    },
    {
      name: 'environmental claim',
      rule: 'detail',
      twist: 'turned for one kind',
      matters: [
        'Our packaging is climate neutral',
        'Climate neutral boxes and envelopes',
        'We ship in climate neutral packaging',
      ],
      paraphrases: [
        'Shipping boxes that are neutral for the climate',
        'Neutral to the climate: how we package',
      ],
      passes: [
        'certified by an auditor, certificate linked',
        'with the certificate of the auditor',
        '(certificate number on the box)',
      ],
      fails: ['by our own calculation, not certified', 'certificate pending', 'uncertified so far'],
      asides: [
        'The boxes are of grass paper.',
        'Ink is made from plants.',
        'Return labels are inside.',
      ],
    },
    {
      name: 'free trial wording',
      rule: 'detail',
      matters: [
        'Try the analytics suite for free',
        'Free trial of our analytics suite',
        'Start your analytics trial now at no cost',
      ],
      paraphrases: ['Analytics for nothing while you try it', 'The suite can be tried at no cost'],
      passes: [
        'ends after 14 days by itself',
        'it ends automatically after a fortnight',
        'and it ends without cancellation',
      ],
      fails: [
        'then becomes a paid plan unless cancelled',
        'a paid subscription starts afterwards',
        'card is charged when the trial is over',
      ],
      asides: [
        'Dashboards come with templates.',
        'Import from spreadsheets works at once.',
        'Support answers within a day.',
      ],
    },
    {
      name: 'price display',
      rule: 'detail',
      matters: [
        'Only {small} euro a month for the family tariff',
        'The family tariff costs {small} euro monthly',
        'Family tariff, {small} euro each month',
      ],
      paraphrases: [
        'Families pay {small} euro every month',
        'Monthly price of the tariff for families: {small} euro',
      ],
      passes: ['taxes included', 'including all taxes', 'with VAT and every fee included'],
      fails: ['plus taxes and fees', 'taxes are added at checkout', 'net, VAT comes on top'],
      asides: [
        'Up to six members share the tariff.',
        'Music and films are part of it.',
        'The contract runs monthly.',
      ],
    },
  ],
  fillers: [
    'Discover what thousands already enjoy every day.',
    'Built for teams of every size, in {city} and everywhere.',
    'Questions? Our team is there for you around the clock.',
    'Join the community and never miss a story.',
    'Simple, clear and made with care.',
    'The text goes live with the next update of the website.',
    'Less effort, more time for what matters.',
    'Because you deserve a better start into the week.',
    'The tone should be friendly but not pushy.',
    'Translations follow once the English text is final.',
    'Loved by {company} and many more.',
    'Click the button below and see for yourself.',
    'It takes two minutes to get going.',
    'The paragraph stands beneath the large picture.',
    'From the first idea to the final result.',
    'Our promise: we listen and get better every month.',
  ],
};
