import type { Demo } from './demo.ts';
import { authorOf, MAKER, personCalled } from './people.ts';
import { documentCalled, placeOf } from './places.ts';

const APPROVALS = [
  ['Aria release notes 2.4', 'Elena Marchetti', 'approved', 'Released for all markets.'],
  ['Flow accuracy test report', 'Jonas Albrecht', 'approved', 'Complete, with raw data.'],
  ['Occlusion alarm test report', 'Elena Marchetti', 'rejected', 'Run 8 is missing.'],
  ['Travel policy', 'Lucie Fontaine', 'approved', 'Valid from the first of next month.'],
  ['Supply agreement, draft 4', 'Eleanor Larkfield', 'rejected', 'The cap must come back.'],
  ['Data processing agreement', 'Julien Moreau', 'approved', 'Transfers are covered.'],
  ['Campaign claims', 'Jonas Albrecht', 'rejected', 'Two claims have no source.'],
  ['Press release', 'Clara Castell', 'approved', 'Goes out on Tuesday.'],
] as const;

/** The payment whose record is changed afterwards in the database, if that is wanted. */
export const CHANGED_RECORD = 'demo-payment-2';

/** Approvals of whole documents in the activity logs, and payments of which one is forged later. */
export async function writeApprovals({ client }: Demo): Promise<void> {
  for (const [documentName, name, decision, reason] of APPROVALS) {
    const document = documentCalled(documentName);
    await client.activities.add({
      ...placeOf(document),
      activities: [
        {
          activityId: `demo-approval-${document.documentId}`,
          featureType: 'approval',
          actionType: `document.${decision}`,
          actionUser: authorOf(personCalled(name)),
          displayMessageTemplate: `{actionUser} ${decision} {document}: {reason}`,
          displayMessageTemplateData: { document: documentName, reason },
          data: { decision, reason },
        },
      ],
    });
  }
  await writePayments(client);
}

/** These records may be changed, so that the demo can show how a changed one is found. */
async function writePayments(client: Demo['client']): Promise<void> {
  await client.activityConfig.update({ activityServiceConfig: { immutable: false } });
  const amounts = [4_800, 12_500, 3_150];
  await client.activities.add({
    organizationId: MAKER,
    activities: amounts.map((euros, n) => ({
      activityId: `demo-payment-${n + 1}`,
      featureType: 'payment',
      actionType: 'payment.released',
      actionUser: authorOf(personCalled('Grace Mwangi')),
      displayMessageTemplate: '{actionUser} released a payment to Kestrel Motors',
      data: { supplier: 'Kestrel Motors', euros },
    })),
  });
  await client.activityConfig.update({ activityServiceConfig: { immutable: true } });
}
