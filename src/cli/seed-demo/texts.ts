import type { Kind } from './places.ts';

/** The words of documents and comments, by the kind of the document. `{slots}` are filled in. */
interface Texts {
  /** Each section's title, and its paragraphs. */
  sections: Array<[title: string, ...paragraphs: string[]]>;
  comments: string[];
  replies: string[];
  /** What a suggestion replaces, and by what. */
  suggestions: Array<[old: string, better: string, why: string]>;
}

export const SLOTS: Record<string, readonly string[]> = {
  days: ['10', '14', '20', '30', '45', '60', '90'],
  percent: ['1.5', '2', '3', '5', '7.5', '10'],
  month: ['January', 'March', 'May', 'June', 'September', 'October', 'November'],
  city: ['Lisbon', 'Gothenburg', 'Lyon', 'Leeds', 'Porto', 'Graz', 'Aarhus'],
  units: ['120', '250', '400', '650', '900', '1,200'],
  rate: ['0.1', '0.5', '1', '5', '20', '50'],
  hours: ['6', '8', '12', '24', '48'],
  clause: ['2.1', '3.4', '4.2', '5.1', '6.3', '7.2', '9.1', '11.4'],
  page: ['2', '3', '5', '8', '11', '14'],
  number: ['104', '117', '131', '142', '158', '163', '176', '189'],
  second: ['4', '9', '12', '18', '27', '33', '41'],
};

export const TEXTS: Record<Kind, Texts> = {
  contract: {
    sections: [
      [
        'Subject',
        'The supplier manufactures and delivers the goods listed in the annex to {subject}.',
        'Drawings and tolerances of the annex are part of this agreement, revision {clause}.',
      ],
      [
        'Delivery',
        'Delivery takes place within {days} days of each order, free to the site of the buyer.',
        'Partial deliveries need the consent of the buyer in text form.',
      ],
      [
        'Prices and payment',
        'Prices are fixed until the end of {month} and include packaging.',
        'Invoices are paid within {days} days; a discount of {percent} percent applies within ten days.',
      ],
      [
        'Liability',
        'Liability for slight negligence is limited to {percent} percent of the yearly volume.',
        'The limit does not apply to injury, intent, or the law on product liability.',
      ],
      [
        'Term',
        'The agreement runs for two years and is extended by one year unless it is terminated.',
        'Either party may terminate with {days} days of notice to the end of a quarter.',
      ],
    ],
    comments: [
      'Clause {clause}: {days} days is shorter than what we agreed on the phone in {month}.',
      'The cap of {percent} percent is below our precedent. Is that on purpose?',
      'Can we say "in text form" instead of "in writing" in clause {clause}? Nobody sends letters.',
      'This does not say who bears the cost of returned goods.',
      'The definition of "defect" here and in the quality agreement differ.',
      'Their redraft of clause {clause} drops the right to audit. We need it back.',
      'Please check this against the Incoterms that purchasing uses.',
      'A notice period of {days} days leaves us no time to qualify another source.',
      'Clause {clause} refers to an annex that is not attached.',
      'Is a force majeure clause without an end date acceptable to us?',
      'The penalty of {percent} percent a week needs an upper limit.',
      'We should name {city} as the place of jurisdiction, not the seat of the supplier.',
    ],
    replies: [
      'Agreed, I have changed it to {days} days.',
      'They insisted on it last time. I will ask once more.',
      'Our precedent says {percent} percent; let us keep to it.',
      'Fine for me as it is now.',
      'I spoke with their counsel: they accept it if we drop clause {clause}.',
      'Not acceptable to us without an upper limit.',
    ],
    suggestions: [
      ['within a reasonable time', 'within {days} days of the order', 'A date can be enforced.'],
      ['best efforts', 'reasonable efforts', 'Best efforts is a higher duty than we can carry.'],
      ['in writing', 'in text form', 'E-mail is enough for both sides.'],
      [
        'shall indemnify against all losses',
        'indemnifies against third-party claims',
        'All losses has no bounds.',
      ],
      [
        'may be terminated at any time',
        'may be terminated with {days} days of notice',
        'Both need time.',
      ],
    ],
  },
  product: {
    sections: [
      [
        'Purpose',
        '{subject} is used in hospitals and laboratories by trained staff.',
        'It runs without attention for {hours} hours and reports what it cannot do.',
      ],
      [
        'Functions',
        'The flow rate is set from {rate} to 200 ml/h in steps that the display shows.',
        'A change while the device runs is confirmed by a second key within ten seconds.',
      ],
      [
        'Alarms',
        'An occlusion is reported within {second} seconds at the lowest rate.',
        'A silenced alarm sounds again after two minutes unless its cause is gone.',
      ],
      [
        'Interfaces',
        'Measurements are sent as one JSON line a second over the service port.',
        'The clock is set from the network, and drifts by less than {second} seconds a month.',
      ],
    ],
    comments: [
      'Requirement {number} cannot be tested as written: what is "quickly"?',
      'The display rounds {rate} ml/h to zero. Is this a bug or a requirement?',
      'We promised {hours} hours on battery to the hospital in {city}.',
      'Step {page} of this procedure needs a warning before it, not after it.',
      'Support gets this question twice a week. Could we put it on the first page?',
      'The interface sends local time. Receivers in {city} and Leeds disagree about it.',
      'Which firmware is the first with this behaviour?',
      'Requirement {number} repeats {clause}; one of them should go.',
      'The second key is hard to reach with gloves. Callum measured it in {month}.',
      'An alarm after {second} seconds is too late for the lowest rate, by our own risk analysis.',
      'Please add the part number of the seal here.',
      'Can the limit be changed on site, or only by service?',
    ],
    replies: [
      'From 2.4.1 on. I will add it.',
      'It is a bug, filed as {number}.',
      'Measured again: {second} seconds in the worst case.',
      'Quality needs to see this before it goes out.',
      'Good point, moved to the first page.',
      'Only by service, and that is on purpose.',
    ],
    suggestions: [
      ['quickly', 'within {second} seconds', 'A requirement needs a number.'],
      ['should', 'shall', 'Should is not tested.'],
      ['the user', 'the trained operator', 'Patients are users, too.'],
      ['approximately {rate} ml/h', '{rate} ml/h ± {percent} %', 'State the tolerance.'],
    ],
  },
  quality: {
    sections: [
      [
        'Scope',
        'This report covers {subject}, serial numbers {number} to {number}, firmware 2.4.',
        'Tests took place in {city} in {month} at 23 degrees.',
      ],
      [
        'Method',
        '{units} ml were delivered at {rate} ml/h and weighed every ten seconds.',
        'Each of three devices was tested three times by two people.',
      ],
      [
        'Results',
        'The largest deviation was {percent} percent, the allowed one is 5 percent.',
        'One run was repeated, because the balance had not settled.',
      ],
    ],
    comments: [
      'Run {page} is missing from the table, and the text says that all are listed.',
      'Who released the deviation of {percent} percent?',
      'The calibration of the balance ended in {month}. Are these results valid?',
      'Serial number {number} was reworked before the test. That must be stated.',
      'Two people tested, but only one signed.',
      'The acceptance criterion changed between protocol and report.',
      'Please attach the raw data, not the picture of them.',
      'Temperature was recorded for {hours} hours only.',
      'The sample size needs a reason. Three is not one.',
    ],
    replies: [
      'Raw data are attached now.',
      'Calibration was valid until the end of {month}; certificate {number} is in the file.',
      'I have added a note on the rework.',
      'Repeated on serial number {number}, same result.',
      'Signed by both.',
    ],
    suggestions: [
      ['all runs passed', '{page} of {page} runs passed', 'Say how many.'],
      ['see above', 'see section 3.2', 'Above moves.'],
      ['the usual conditions', '23 °C ± 2 °C, 45 % humidity', 'Conditions must be repeatable.'],
    ],
  },
  policy: {
    sections: [
      [
        'Who it is for',
        'This page is for {subject}.',
        'It replaces what was agreed before {month}.',
      ],
      [
        'What we do',
        'Trips of less than {hours} hours are by train where there is one.',
        'Up to {days} days a year may be worked from another country of the European Union.',
      ],
      [
        'Who decides',
        'The lead of the team decides within {days} days, and says why.',
        'Whoever disagrees asks people and culture.',
      ],
    ],
    comments: [
      '{days} days is less than our contracts in {city} promise.',
      'Does this hold for people on probation, too?',
      'Who decides when the lead is away?',
      'Please say where the form is.',
      'The insurance covers only {days} days abroad. Let us use the same number.',
      'This sentence can be read as if trains were always cheaper.',
      'Finance needs receipts from {percent} euros on, not from every amount.',
      'Could we publish this in {month}, together with the other changes?',
    ],
    replies: [
      'Then the deputy decides. Added.',
      'Yes, for everybody.',
      'Changed to {days} days.',
      'Fine with finance.',
      'Let us discuss it on Thursday.',
    ],
    suggestions: [
      ['employees must', 'please', 'It is a request, not an order.'],
      ['as soon as possible', 'within {days} days', 'Say until when.'],
      ['he or she', 'they', 'Shorter, and for everybody.'],
    ],
  },
  marketing: {
    sections: [
      [
        'Headline',
        '{subject} keeps its promise at every flow rate.',
        'Set it, and look after people.',
      ],
      [
        'Body',
        'A night shift has {hours} hours, and so has the battery of {subject}.',
        'Nurses in {city} set it up in under {second} seconds, without the manual.',
      ],
      [
        'Call to action',
        'See {subject} at work in {city} this {month}.',
        'Book a visit of half an hour.',
      ],
    ],
    comments: [
      'Can we prove "under {second} seconds"? Quality has no test for it.',
      'Regulatory will not accept "safe" as a claim.',
      'The headline promises more than the body.',
      'This is the third exclamation mark on page {page}.',
      '"Revolutionary" is on the list of words that we do not use.',
      'The picture shows the old display.',
      'I like the rhythm here. Could the next line be as short?',
      'The number of {units} hospitals is from last {month}.',
      'Legal asks for a footnote at {percent} percent.',
      'Would a nurse say "utilise"?',
      'The French version will be a third longer. Is there room?',
    ],
    replies: [
      'Test report {number} shows it.',
      'Shorter now, have a look.',
      'Then let us say "built for night shifts".',
      'The client loves this line. Can we keep it?',
      'Picture replaced.',
      'Footnote added on page {page}.',
    ],
    suggestions: [
      [
        'Revolutionary precision',
        'Precise at {rate} ml/h',
        'Numbers persuade more than adjectives.',
      ],
      ['utilise', 'use', 'Plain words.'],
      ['the safest pump', 'a pump that reports what it cannot do', 'Safest cannot be proven.'],
      ['Click here', 'Book a visit', 'Say where the link leads.'],
    ],
  },
  film: {
    sections: [
      [
        'Scene 1',
        'A corridor at night. A nurse looks at {subject} and goes on.',
        'We hear the pump, softly.',
      ],
      ['Scene 2', 'Morning in {city}. The display counts {second} seconds.', 'Nobody hurries.'],
      ['Scene 3', 'Voice: {subject}. It is there, so that you can be.', 'Logo, and silence.'],
    ],
    comments: [
      'At 0:{second} the caption stays for less than a second.',
      'The alarm in this scene is not the sound of the device.',
      'Could the voice wait until the door has closed?',
      'Caption {page} has 49 characters in a line; the limit is 42.',
      'The nurse wears a watch. Hospitals do not allow it.',
      'The music licence ends in {month}.',
      'The name is said as "Area" at 0:{second}.',
    ],
    replies: [
      'Longer by half a second now.',
      'We recorded the real alarm in {city}.',
      'Split into two captions.',
      'Then we retouch the watch.',
      'Voice recorded again.',
    ],
    suggestions: [
      ['[alarm sounds]', '[two short tones]', 'Describe the sound.'],
      ['VOICE OVER:', 'Voice:', 'Our style.'],
      ['It is there so you can be there', 'It is there, so that you can be', 'Shorter.'],
    ],
  },
};

export const REACTIONS = ['👍', '🎉', '❤️', '👀', '✅', '🙏'];
