import type { Genre } from './topic.ts';

/** Clauses of contracts. */
export const CLAUSES: Genre = {
  name: 'clauses',
  topics: [
    {
      name: 'delivery date',
      rule: 'detail',
      matters: [
        'The supplier shall deliver the equipment to the buyer',
        'Delivery of the ordered equipment takes place',
        'The goods will be handed over to the purchaser',
        'Supplier undertakes delivery of all units to the site of the buyer',
      ],
      paraphrases: [
        'Equipment has to reach the buyer',
        'The purchaser receives the ordered units from the supplier',
      ],
      passes: ['on {date}', 'no later than {date}', 'by the fixed date of {date}'],
      fails: ['as soon as practicable', 'within a reasonable time', 'in due course'],
      asides: [
        'Packaging is returned to the supplier at its own cost.',
        'Partial shipments of units need the consent of the buyer.',
        'The risk passes when the equipment leaves the lorry.',
      ],
    },
    {
      name: 'confidential term',
      rule: 'detail',
      matters: [
        'The recipient keeps the disclosed information confidential',
        'Confidential information must not be passed on by the receiving party',
        'The duty of secrecy binds the recipient',
        'Neither party discloses what the other has marked as secret',
      ],
      paraphrases: [
        'Secrecy about disclosed information is owed by the receiving side',
        'What is marked as secret stays with the recipient',
      ],
      passes: [
        'for five years after the end of this agreement',
        'until the third anniversary of termination',
        'for a period of two years from disclosure',
      ],
      fails: ['in perpetuity', 'for an unlimited period', 'forever and without end'],
      asides: [
        'Copies of secret papers are destroyed on request.',
        'Information that was public before disclosure is exempt.',
        'Advisers of the recipient sign the same undertaking.',
      ],
    },
    {
      name: 'penalty cap',
      rule: 'limit',
      limit: 10,
      matters: [
        'Penalties for delay are capped at {n} percent of the contract price',
        'The penalty for late performance amounts to {n} % of the price at most',
        'For each delay a contractual penalty is due, together no more than {n} percent of the fees',
      ],
      paraphrases: [
        'Late performance costs the contractor up to {n} % of the contract price as a penalty',
        'Cap on delay penalties: {n} percent of all fees',
      ],
      passes: ['', ', payable monthly', ', to be set off against invoices'],
      fails: ['', ', payable monthly', ', to be set off against invoices'],
      asides: [
        'The penalty is credited against damages for delay.',
        'Delay caused by the client is not counted.',
        'A grace period of three days applies to every milestone.',
      ],
    },
    {
      name: 'notice period',
      rule: 'limit',
      limit: 90,
      matters: [
        'Either party may terminate this agreement with {n} days notice',
        'Ordinary termination requires a notice period of {n} days',
        'The contract can be ended in writing, {n} days in advance',
      ],
      paraphrases: [
        'Who wants to leave the contract gives notice {n} days before',
        'Written termination takes effect after {n} days',
      ],
      passes: ['', ' to the end of a quarter', ' to the end of any month'],
      fails: ['', ' to the end of a quarter', ' to the end of any month'],
      asides: [
        'Termination for cause remains unaffected.',
        'Notice is given by registered letter or signed mail.',
        'Prepaid fees are refunded in proportion.',
      ],
    },
    {
      name: 'governing law',
      rule: 'never',
      twist: 'organization',
      matters: [
        'This agreement is governed by the laws of the State of Delaware',
        'Delaware law applies to all claims under this contract',
        'Governing law shall be that of Delaware, excluding conflict of laws',
      ],
      paraphrases: [
        'All claims are subject to the laws of Delaware',
        'The law of the State of Delaware governs',
      ],
      passes: ['', ' and the courts of Wilmington decide'],
      fails: [', with venue in Wilmington', ' with exclusive jurisdiction there'],
      asides: [
        'The convention on the international sale of goods does not apply.',
        'Injunctions may be sought in any court.',
        'The seat of the tribunal is agreed separately.',
      ],
    },
    {
      name: 'subcontractors',
      rule: 'always',
      twist: 'organization',
      matters: [
        'The contractor may engage subcontractors without prior approval',
        'Subcontracting of parts of the services is permitted',
        'Contractor is free to use other firms as subcontractors',
      ],
      paraphrases: [
        'Other firms may perform parts of the services as subcontractors',
        'No approval is needed when the contractor subcontracts',
      ],
      passes: ['', ' for the installation'],
      fails: [' for support and maintenance', ' in any country of the union'],
      asides: [
        'A list of all subcontractors is kept and updated.',
        'The contractor answers for their mistakes as for its own.',
        'Subcontractors are insured in the same amount.',
      ],
    },
    {
      name: 'auto renewal',
      rule: 'always',
      twist: 'turned',
      matters: [
        'The subscription renews automatically for another year',
        'Automatic renewal by twelve months applies unless cancelled',
        'At the end of the term the licence is extended by itself',
      ],
      paraphrases: [
        'Without cancellation the subscription goes on automatically',
        'The term of the licence renews by itself each year',
      ],
      passes: ['', ' at the current list price'],
      fails: [' on the same conditions', ' at the price of the first term'],
      asides: [
        'The provider sends a reminder before the term ends.',
        'Seats can be added during the term at any time.',
        'Cancellation is possible in the account settings.',
      ],
    },
    {
      name: 'liability cap',
      rule: 'never',
      twist: 'turned',
      matters: [
        'Liability of the vendor is limited to the fees of the last twelve months',
        'The vendor is liable up to one annual fee only',
        'Aggregate liability shall not exceed the amounts paid in the previous year',
      ],
      paraphrases: [
        'The vendor never owes more than the annual fee in liability',
        'A limit of twelve months of fees applies to what the vendor is liable for',
      ],
      passes: ['', ', except for intent'],
      fails: [', for every kind of claim', ', whatever the legal ground'],
      asides: [
        'Damage to persons is not limited by this section.',
        'Lost profit is not compensated.',
        'The insurance of the vendor does not raise the limit.',
      ],
    },
    {
      name: 'audit rights',
      rule: 'always',
      twist: 'conflict',
      matters: [
        'The customer may audit the premises of the processor once a year',
        'An annual audit of the processor on site is granted to the customer',
        'Audit rights: the customer inspects the processing on the premises',
      ],
      paraphrases: [
        'Once each year the customer inspects where the processor works',
        'On-site inspection of the processor by the customer',
      ],
      passes: ['', ' during business hours'],
      fails: [' after notice of two weeks', ' at its own expense'],
      asides: [
        'Auditors sign a declaration of secrecy.',
        'Certificates may replace an inspection on site.',
        'Findings are remedied within a month.',
      ],
    },
    {
      name: 'non-compete',
      rule: 'never',
      twist: 'conflict',
      matters: [
        'The consultant shall not work for competitors during twelve months',
        'A ban on competition binds the consultant after the engagement',
        'Consultant refrains from competing engagements for one year',
      ],
      paraphrases: [
        'After the engagement no competitor may be served by the consultant',
        'One year without work for competing companies',
      ],
      passes: ['', ' in the same region'],
      fails: [' against half of the fee', ' in the whole union'],
      asides: [
        'Competitors are listed in an annex.',
        'Shares in listed companies are allowed.',
        'The consultant reports new engagements in writing.',
      ],
    },
    {
      name: 'warranty remedy',
      rule: 'detail',
      matters: [
        'If the product is defective, the seller repairs or replaces it',
        'Defects reported in the warranty period are remedied by the seller',
        'Warranty: the buyer may claim repair or replacement of a defective product',
      ],
      paraphrases: [
        'The seller has to repair or replace whatever product is defective',
        'Remedies of the buyer for defects under the warranty',
      ],
      passes: [
        'with a refund if the repair fails',
        'and returns the price after a second failed repair',
        'and the buyer gets the money back should it fail again',
      ],
      fails: [
        'and any further claim is excluded',
        'to the exclusion of every refund',
        'with no other remedy whatsoever',
      ],
      asides: [
        'Wear and tear is not a defect.',
        'The warranty period begins with acceptance.',
        'Transport of the defective product is paid by the seller.',
      ],
    },
    {
      name: 'price adjustment',
      rule: 'detail',
      matters: [
        'The provider may adjust the prices of the service once a year',
        'Prices are revised annually by the provider',
        'An annual change of the service fees is reserved by the provider',
      ],
      paraphrases: [
        'Once a year the fees of the service are changed by the provider',
        'Revision of prices, every year',
      ],
      passes: [
        'in line with the consumer price index',
        'by the change of the official index',
        'following the published inflation rate',
      ],
      fails: ['at its sole discretion', 'as it sees fit', 'to any amount it chooses'],
      asides: [
        'Changes are announced six weeks ahead.',
        'The customer may cancel when the fees rise.',
        'Volume rebates are kept.',
      ],
    },
  ],
  fillers: [
    'The headings of this agreement are for convenience only.',
    'Changes to this contract are valid in writing only, including this clause.',
    'Should a provision be invalid, the remaining provisions stay in force.',
    'The parties have read the annexes and agree to them in full.',
    'References to days are to calendar days unless stated otherwise.',
    'This section applies to affiliates of either party accordingly.',
    'Both parties shall act in good faith when they perform this contract.',
    'A waiver of a right under this agreement must be express.',
    'Words in the singular include the plural where the context requires.',
    'The order of precedence is: order form, annexes, general terms.',
    'Obligations that by their nature survive do so after the end of the term.',
    'Each party bears its own costs in connection with the signing.',
    'Nothing in this clause creates a partnership between the parties.',
    'The customer {company} signed the previous version in {city}.',
    'Invoices are payable within thirty days of receipt.',
    'Notices are sent to the addresses on the first page.',
  ],
};
