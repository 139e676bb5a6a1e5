import type { Genre } from './topic.ts';

/** Requests and remarks in comment threads. */
export const COMMENTS: Genre = {
  name: 'comments',
  topics: [
    {
      name: 'travel request',
      rule: 'detail',
      matters: [
        'Trip to the customer in {city} next month, hotel and train',
        'I would like to visit {company} in {city}, two nights',
        'Travel request for {city}: meeting with {company}',
        'Can I book the journey to {city} for the kickoff?',
      ],
      paraphrases: [
        'May I travel to {city} and stay there for two nights with the customer?',
        'Booking of hotel and train for the meeting at {company}',
      ],
      passes: [
        'cost estimate is attached',
        'the estimate with all costs is attached',
        'I attached an estimate of the costs',
      ],
      fails: [
        'costs not known yet',
        'no idea what it costs',
        'will send the receipts afterwards, no estimate so far',
      ],
      asides: [
        'The hotel is near the station.',
        'Two colleagues of the sales team join the journey.',
        'The meeting was moved twice already.',
      ],
    },
    {
      name: 'bug priority',
      rule: 'detail',
      matters: [
        'Please raise the priority of the ticket about the broken export',
        'The export fails again, this ticket should be urgent',
        'Can we move the export bug to the top of the board?',
        'Customer {company} cannot export, set the ticket to highest priority',
      ],
      paraphrases: [
        'Export is broken, make it the most urgent ticket',
        'Top priority for the failing export, please',
      ],
      passes: [
        'steps to reproduce are in the ticket',
        'I added the steps to reproduce it',
        'reproduced with the steps below',
      ],
      fails: [
        'cannot reproduce it myself',
        'nobody could reproduce it so far',
        'no steps, it just happens sometimes',
      ],
      asides: [
        'The board is reviewed on Mondays.',
        'Support heard of it from three people.',
        'It was fine in the release of last week.',
      ],
    },
    {
      name: 'team budget',
      rule: 'limit',
      limit: 500,
      matters: [
        'We want {n} euro for the team event in {city}',
        'Budget for the offsite evening: {n} EUR in total',
        'Team event with bowling and dinner costs {n} euro',
      ],
      paraphrases: [
        'An evening of the whole team, bowling included, {n} euro',
        'Could the company pay {n} EUR for our event?',
      ],
      passes: ['', ', everyone is coming', ', the date is fixed'],
      fails: ['', ', everyone is coming', ', the date is fixed'],
      asides: [
        'The last event was a year ago.',
        'The bowling place needs an answer this week.',
        'Vegetarian dinner is included.',
      ],
    },
    {
      name: 'overtime hours',
      rule: 'limit',
      limit: 20,
      matters: [
        'Please approve {n} hours of overtime for the migration weekend',
        'I worked {n} extra hours on the migration, can they be paid?',
        'Overtime {n} h because of the release',
      ],
      paraphrases: [
        'Payment of {n} additional hours that the migration took',
        'The release cost me {n} hours beyond my contract',
      ],
      passes: ['', ' as agreed by phone', ', see time sheet'],
      fails: ['', ' as agreed by phone', ', see time sheet'],
      asides: [
        'The time sheet is complete.',
        'Half of the team was on holiday then.',
        'Compensation in days off would be fine too.',
      ],
    },
    {
      name: 'working abroad',
      rule: 'always',
      twist: 'organization',
      matters: [
        'I would like to work from {city} for three weeks',
        'Remote work abroad in {city} during the summer',
        'Can I take my laptop to {city} and work there for a while?',
      ],
      paraphrases: [
        'Working remotely from another country, namely {city}, this summer',
        'Three weeks of remote work in {city}',
      ],
      passes: ['', ', same time zone'],
      fails: [', with my family', ' in the house of a friend'],
      asides: [
        'The internet there is fast.',
        'My shifts stay the same.',
        'I am back before the planning week.',
      ],
    },
    {
      name: 'hardware refresh',
      rule: 'never',
      twist: 'organization',
      matters: [
        'My laptop is two years old, I want a new one',
        'Replacement of the laptop before three years are over',
        'New laptop for {person}, the present one is slow',
      ],
      paraphrases: [
        'The old laptop should be replaced early',
        'Please order another laptop, mine is slow after two years',
      ],
      passes: ['', ', more memory would help'],
      fails: [', the battery is weak', ', builds take long'],
      asides: [
        'The warranty runs until autumn.',
        'The old machine goes to an apprentice.',
        'The fan is loud in meetings.',
      ],
    },
    {
      name: 'meeting recordings',
      rule: 'never',
      twist: 'turned',
      matters: [
        'Can we record the weekly meeting for those who are absent?',
        'I suggest recordings of all project meetings',
        'Record the review meeting and share the video',
      ],
      paraphrases: [
        'A video of the weekly meeting for absent colleagues',
        'Sharing recordings of meetings in the project',
      ],
      passes: ['', ' in the channel'],
      fails: [' on the drive', ' with a transcript'],
      asides: [
        'Some colleagues are in other time zones.',
        'The videos would be deleted after a month.',
        'The minutes are often late.',
      ],
    },
    {
      name: 'external chat guests',
      rule: 'always',
      twist: 'turned',
      matters: [
        'Invite the freelancer {person} as a guest to our chat',
        'Guest access to the chat for people of {company}',
        'Please add the agency to the project channel as guests',
      ],
      paraphrases: [
        'The agency and its people should join our chat as guests',
        'Chat access for an outside freelancer',
      ],
      passes: ['', ' until the launch'],
      fails: [' for the next months', ' with the right to post'],
      asides: [
        'They wrote mails until now, which is slow.',
        'The channel has no customer data.',
        'Their contract is signed.',
      ],
    },
    {
      name: 'vacation overlap',
      rule: 'detail',
      twist: 'turned for one kind',
      matters: [
        'Holiday from {date}, two weeks',
        'I want to take leave starting {date}',
        'Vacation request, fourteen days from {date}',
      ],
      paraphrases: ['Two weeks of leave, first day {date}', 'Days off beginning on {date}'],
      passes: [
        'and {person} stands in for me',
        'with {person} as my substitute',
        'substitute is {person}',
      ],
      fails: [
        'and nobody can stand in',
        'no substitute found',
        'without a substitute for the time being',
      ],
      asides: [
        'The flights are not booked yet.',
        'The calendar of the team is up to date.',
        'It includes a public holiday.',
      ],
    },
    {
      name: 'conference ticket',
      rule: 'detail',
      twist: 'turned for one kind',
      matters: [
        'Ticket for the developer conference in {city}',
        'I would like to go to the conference in {city} this year',
        'Please pay my admission to the conference, three days in {city}',
      ],
      paraphrases: [
        'Admission for three days of conference talks in {city}',
        'May I attend the developers conference?',
      ],
      passes: [
        'where I give a talk',
        'my talk has been accepted there',
        'since I am one of the speakers with a talk',
      ],
      fails: ['as a listener', 'just to listen and learn', 'only as a visitor in the audience'],
      asides: [
        'Early tickets end this Friday.',
        'The programme is about databases.',
        'I went there two years ago.',
      ],
    },
    {
      name: 'plants for the office',
      rule: 'always',
      matters: [
        'Buy three plants for the meeting room',
        'More green plants in the office corridor',
        'Could we get plants for the kitchen window?',
      ],
      paraphrases: ['Greenery, a few plants, for the rooms', 'Office plants, please'],
      passes: ['', ', easy to water'],
      fails: [', big ones', ', from the market'],
      asides: [
        'Somebody has to water them at weekends.',
        'The light in the corridor is good.',
        'Pots are still in the cellar.',
      ],
    },
    {
      name: 'gift vouchers',
      rule: 'never',
      matters: [
        'Gift vouchers for the survey participants',
        'A voucher of a shop for everyone who answers the survey',
        'Send shopping vouchers to customers who took part',
      ],
      paraphrases: [
        'Participants of the survey get a shop voucher',
        'Vouchers as a thank-you for answering',
      ],
      passes: ['', ', by mail'],
      fails: [', small ones', ', at the end of the month'],
      asides: [
        'Only forty people answered last time.',
        'The survey has nine questions.',
        'Accounting asks who receives them.',
      ],
    },
  ],
  fillers: [
    'Hi all, sorry for the late message.',
    'What do you think?',
    'Thanks a lot in advance!',
    'We talked about it in the stand-up on Tuesday.',
    'I asked {person} and there was no objection.',
    'Happy to explain more in a call.',
    'This came up in the retrospective as well.',
    'See the thread above for the background.',
    'I know that everybody is busy before the release.',
    'An answer by Thursday would help me to plan.',
    'If this is the wrong place, please tell me where to ask.',
    'For the record: last quarter we decided something similar.',
    'Feel free to ping me in the chat about details.',
    'By the way, the wiki page on this is outdated.',
    'My manager {person} knows about it.',
    'We can of course discuss it again in the next meeting.',
  ],
};
