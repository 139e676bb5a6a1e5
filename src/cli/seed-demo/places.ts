import { LAWYERS, MAKER, STUDIO } from './people.ts';

/** The organizations, folders and documents of the demo. */

export const ORGANIZATIONS = [
  {
    organizationId: MAKER,
    organizationName: 'Meridian Instruments',
    industry: 'Laboratory devices',
  },
  { organizationId: LAWYERS, organizationName: 'Larkfield Legal', industry: 'Law' },
  { organizationId: STUDIO, organizationName: 'Castell Studio', industry: 'Design and film' },
];

export interface DemoFolder {
  organizationId: string;
  folderId: string;
  folderName: string;
  parentFolderId?: string;
  accessType?: 'organizationPrivate' | 'restricted' | 'public';
}

/** Parents come before what is in them. */
export const FOLDERS: DemoFolder[] = [
  folder(MAKER, 'company', 'Company', 'organizationPrivate'),
  folder(MAKER, 'policies', 'Policies', undefined, 'company'),
  folder(MAKER, 'board', 'Board', 'restricted', 'company'),
  folder(MAKER, 'products', 'Products', 'organizationPrivate'),
  folder(MAKER, 'aria-pump', 'Aria syringe pump', undefined, 'products'),
  folder(MAKER, 'aria-verification', 'Verification', undefined, 'aria-pump'),
  folder(MAKER, 'lyra-balance', 'Lyra balance', undefined, 'products'),
  folder(MAKER, 'supplier-contracts', 'Supplier contracts', 'restricted'),
  folder(LAWYERS, 'matters', 'Matters', 'restricted'),
  folder(LAWYERS, 'meridian-supply', 'Meridian, supply agreements', undefined, 'matters'),
  folder(LAWYERS, 'meridian-privacy', 'Meridian, data protection', undefined, 'matters'),
  folder(LAWYERS, 'precedents', 'Precedents', 'organizationPrivate'),
  folder(STUDIO, 'clients', 'Clients', 'organizationPrivate'),
  folder(STUDIO, 'aria-launch', 'Meridian, Aria launch', undefined, 'clients'),
  folder(STUDIO, 'aria-film', 'Film', undefined, 'aria-launch'),
  folder(STUDIO, 'studio', 'Studio', 'public'),
];

function folder(
  organizationId: string,
  folderId: string,
  folderName: string,
  accessType?: DemoFolder['accessType'],
  parentFolderId?: string,
): DemoFolder {
  return {
    organizationId,
    folderId,
    folderName,
    ...(accessType && { accessType }),
    ...(parentFolderId && { parentFolderId }),
  };
}

export type Kind = 'contract' | 'product' | 'quality' | 'policy' | 'marketing' | 'film';

export interface DemoDocument {
  organizationId: string;
  folderId?: string;
  documentId: string;
  documentName: string;
  kind: Kind;
  /** The product, client or party that its text is about. */
  subject: string;
}

const NAMES: Array<[Kind, string, string | undefined, string, string[]]> = [
  [
    'policy',
    MAKER,
    'policies',
    'all employees',
    ['Travel policy', 'Working from abroad', 'Expenses'],
  ],
  ['policy', MAKER, 'board', 'the board', ['Budget for next year', 'Risk register']],
  [
    'product',
    MAKER,
    'aria-pump',
    'Aria',
    ['Aria requirements', 'Aria release notes 2.4', 'Aria service manual', 'Aria alarm concept'],
  ],
  [
    'quality',
    MAKER,
    'aria-verification',
    'Aria',
    ['Flow accuracy test report', 'Occlusion alarm test report', 'Battery endurance protocol'],
  ],
  [
    'product',
    MAKER,
    'lyra-balance',
    'Lyra',
    ['Lyra requirements', 'Lyra calibration guide', 'Lyra interface specification'],
  ],
  [
    'contract',
    MAKER,
    'supplier-contracts',
    'Kestrel Motors',
    ['Kestrel framework agreement', 'Kestrel quality agreement', 'Kestrel price annex'],
  ],
  ['policy', MAKER, undefined, 'visitors', ['Welcome to Meridian']],
  [
    'contract',
    LAWYERS,
    'meridian-supply',
    'Meridian Instruments',
    ['Supply agreement, draft 4', 'Warranty terms', 'Confidentiality agreement'],
  ],
  [
    'contract',
    LAWYERS,
    'meridian-privacy',
    'Meridian Instruments',
    ['Data processing agreement', 'Transfer assessment'],
  ],
  [
    'contract',
    LAWYERS,
    'precedents',
    'the client',
    ['Limitation of liability', 'Termination clauses', 'Service levels'],
  ],
  [
    'marketing',
    STUDIO,
    'aria-launch',
    'Aria',
    ['Launch page copy', 'Campaign claims', 'Product brochure', 'Press release', 'Newsletter'],
  ],
  ['film', STUDIO, 'aria-film', 'Aria', ['Film script', 'Storyboard', 'Captions, English']],
  ['marketing', STUDIO, 'studio', 'Castell Studio', ['Voice and tone', 'Credentials']],
];

export const DOCUMENTS: DemoDocument[] = NAMES.flatMap(
  ([kind, organizationId, folderId, subject, names]) =>
    names.map((documentName) => ({
      organizationId,
      ...(folderId && { folderId }),
      documentId: documentName
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/-$/, ''),
      documentName,
      kind,
      subject,
    })),
);

export function documentCalled(name: string): DemoDocument {
  const document = DOCUMENTS.find((one) => one.documentName === name);
  if (!document) throw new Error(`No document of the demo is called ${name}.`);
  return document;
}

export const placeOf = ({ organizationId, documentId }: DemoDocument) => ({
  organizationId,
  documentId,
});
