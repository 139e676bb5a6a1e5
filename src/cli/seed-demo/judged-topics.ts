import { LAWYERS, MAKER, STUDIO } from './people.ts';

/** A question that reviewers decided about again and again. `{slots}` are filled in. */
export interface JudgedTopic {
  organizationId: string;
  documentName: string;
  items: string[];
  /** What an item has that is usually approved, and what one has that is usually rejected. */
  approved: string[];
  rejected: string[];
  whyApproved: string;
  whyRejected: string;
  reviewers: string[];
}

export const JUDGED_TOPICS: JudgedTopic[] = [
  {
    organizationId: LAWYERS,
    documentName: 'Limitation of liability',
    items: [
      'The liability of the supplier for slight negligence is',
      'For damage that was caused by slight negligence the supplier is liable',
      'Compensation that the supplier owes for negligent damage is',
    ],
    approved: [
      'limited to {percent} percent of the yearly volume',
      'capped at {percent} percent of the contract price',
      'limited to a total of {units} thousand euros',
    ],
    rejected: ['unlimited', 'without any limit', 'not limited in amount'],
    whyApproved: 'There is a cap, as in our precedent.',
    whyRejected: 'The client does not carry unlimited liability.',
    reviewers: ['Eleanor Larkfield', 'Ingrid Nystrom', 'Marcus Bell', 'Farah Siddiqui'],
  },
  {
    organizationId: LAWYERS,
    documentName: 'Supply agreement, draft 4',
    items: [
      'The supplier delivers the ordered pumps to the buyer',
      'Delivery of the equipment to the site of the buyer takes place',
      'The goods reach the warehouse of the buyer',
    ],
    approved: ['within {days} days of the order', 'no later than the end of {month}'],
    rejected: ['as soon as practicable', 'within a reasonable time', 'in due course'],
    whyApproved: 'The date can be enforced.',
    whyRejected: 'Without a date the buyer has no remedy.',
    reviewers: ['Ingrid Nystrom', 'Marcus Bell', 'Farah Siddiqui', 'Samuel Adeyemi'],
  },
  {
    organizationId: LAWYERS,
    documentName: 'Data processing agreement',
    items: [
      'The processor may engage a subprocessor in {city}',
      'Personal data may be passed on to subcontractors in {city}',
    ],
    approved: [
      'after prior notice of {days} days with a right to object',
      'with consent in text form',
    ],
    rejected: ['without notice', 'at its own discretion', 'without asking the controller'],
    whyApproved: 'The controller can object in time.',
    whyRejected: 'The controller must know where its data are.',
    reviewers: ['Julien Moreau', 'Wen Li', 'Eleanor Larkfield'],
  },
  {
    organizationId: MAKER,
    documentName: 'Aria requirements',
    items: [
      'The pump reports an occlusion',
      'An alarm sounds when the line is blocked',
      'A blocked line is shown on the display',
    ],
    approved: ['within {second} seconds at {rate} ml/h', 'after {second} seconds at the latest'],
    rejected: ['quickly', 'in a timely manner', 'as fast as possible'],
    whyApproved: 'It can be tested.',
    whyRejected: 'A requirement without a number cannot be tested.',
    reviewers: ['Elena Marchetti', 'Jonas Albrecht', 'Adaeze Okafor', 'Callum Fraser'],
  },
  {
    organizationId: MAKER,
    documentName: 'Flow accuracy test report',
    items: [
      'Flow accuracy of serial number {number} at {rate} ml/h, deviation {percent} percent',
      'Test run {number} of the flow accuracy at {rate} ml/h',
    ],
    approved: ['with raw data and both signatures', 'raw data attached, signed by two people'],
    rejected: [
      'raw data missing',
      'signed by one person only',
      'without calibration of the balance',
    ],
    whyApproved: 'Complete.',
    whyRejected: 'An auditor would send it back.',
    reviewers: ['Elena Marchetti', 'Nadia Haddad', 'Jonas Albrecht'],
  },
  {
    organizationId: MAKER,
    documentName: 'Travel policy',
    items: [
      'Flight from {city} for a visit of {hours} hours',
      'Trip to {city} by plane in {month}',
    ],
    approved: ['with two customers on the same day', 'no train under eight hours'],
    rejected: ['although the train takes four hours', 'for an internal meeting'],
    whyApproved: 'There is no reasonable train.',
    whyRejected: 'The train is the rule.',
    reviewers: ['Grace Mwangi', 'Lucie Fontaine', 'Owen Pritchard'],
  },
  {
    organizationId: STUDIO,
    documentName: 'Campaign claims',
    items: [
      'Aria is ready in {second} seconds',
      'Nurses in {city} save {hours} hours a week with Aria',
      'Aria runs {hours} hours on one charge',
    ],
    approved: ['test report {number} in a footnote', 'with the source and its date'],
    rejected: ['no source', 'source to follow', 'everybody knows it'],
    whyApproved: 'The claim has a source.',
    whyRejected: 'A medical claim needs a source.',
    reviewers: ['Amara Diallo', 'Clara Castell', 'Noah Petersen', 'Theo Ashworth'],
  },
  {
    organizationId: STUDIO,
    documentName: 'Launch page copy',
    items: ['Headline for the launch page, version {number}', 'Teaser for hospitals in {city}'],
    approved: ['one promise in plain words', 'short, names the benefit for a night shift'],
    rejected: [
      'calls the pump revolutionary',
      'three exclamation marks',
      'says utilise and leverage',
    ],
    whyApproved: 'Sounds like us.',
    whyRejected: 'Not our voice: see voice and tone.',
    reviewers: ['Amara Diallo', 'Clara Castell', 'Lena Vogel', 'Theo Ashworth'],
  },
  {
    organizationId: STUDIO,
    documentName: 'Captions, English',
    items: ['Caption {number} at 0:{second}', 'Subtitle {number}, scene in {city}'],
    approved: ['two lines of 37 characters, two seconds', 'sound described in brackets'],
    rejected: ['one line of 61 characters', 'on screen for half a second', 'sound not described'],
    whyApproved: 'Readable.',
    whyRejected: 'Too much to read in the time.',
    reviewers: ['Isabel Duarte', 'Ben Okoye', 'Anya Petrova'],
  },
];

/** Decided one way for a year, and the other way in the last month. */
export const ABANDONED_PRECEDENT = {
  organizationId: LAWYERS,
  documentName: 'Termination clauses',
  query: 'Either party may terminate this agreement by e-mail',
  before: 'rejected',
  reasonBefore: 'A termination needs a signed letter.',
  now: 'approved',
  reasonNow: 'Text form is enough since the partners changed the precedent.',
  reviewers: ['Eleanor Larkfield', 'Ingrid Nystrom', 'Marcus Bell'],
} as const;

/** Decided both ways in the same weeks. */
export const CONFLICT = {
  organizationId: STUDIO,
  documentName: 'Voice and tone',
  query: 'Use "patients" instead of "people" in copy about Aria',
  reviewers: ['Amara Diallo', 'Lena Vogel', 'Theo Ashworth', 'Clara Castell'],
} as const;

/** Approves far less than the others, everywhere. */
export const STRICT_REVIEWER = 'Nadia Haddad';
