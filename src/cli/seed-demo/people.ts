/** The people of the demo: forty, in three organizations that work together. */

export const MAKER = 'meridian-instruments';
export const LAWYERS = 'larkfield-legal';
export const STUDIO = 'castell-studio';

export interface Person {
  userId: string;
  name: string;
  email: string;
  organizationId: string;
  title: string;
  department: string;
  /** Their role in their own organization. */
  accessRole: 'editor' | 'viewer';
}

const DOMAINS: Record<string, string> = {
  [MAKER]: 'meridian-instruments.example',
  [LAWYERS]: 'larkfield.example',
  [STUDIO]: 'castell.example',
};

type Row = [name: string, title: string, department: string, role?: 'viewer'];

const MAKERS: Row[] = [
  ['Mira Holt', 'Chief executive', 'management'],
  ['Tomasz Wieczorek', 'Head of product', 'product'],
  ['Adaeze Okafor', 'Product manager, pumps', 'product'],
  ['Henrik Solberg', 'Product manager, balances', 'product'],
  ['Yuki Tanabe', 'Firmware lead', 'engineering'],
  ['Priya Raghavan', 'Mechanical engineer', 'engineering'],
  ['Callum Fraser', 'Test engineer', 'engineering'],
  ['Elena Marchetti', 'Head of quality', 'quality'],
  ['Jonas Albrecht', 'Regulatory affairs', 'quality'],
  ['Nadia Haddad', 'Quality auditor', 'quality'],
  ['Owen Pritchard', 'Head of sales', 'sales'],
  ['Sofia Lindqvist', 'Key accounts, Nordics', 'sales'],
  ['Diego Navarro', 'Key accounts, Iberia', 'sales'],
  ['Grace Mwangi', 'Head of finance', 'finance'],
  ['Pieter van Dam', 'Purchasing', 'finance'],
  ['Lucie Fontaine', 'People and culture', 'people'],
  ['Ravi Menon', 'Support lead', 'support', 'viewer'],
  ['Hannah Brandt', 'Support engineer', 'support', 'viewer'],
];

const LAWYERS_ROWS: Row[] = [
  ['Eleanor Larkfield', 'Partner', 'partners'],
  ['Samuel Adeyemi', 'Partner', 'partners'],
  ['Ingrid Nystrom', 'Senior associate', 'contracts'],
  ['Marcus Bell', 'Associate', 'contracts'],
  ['Farah Siddiqui', 'Associate', 'contracts'],
  ['Julien Moreau', 'Data protection', 'privacy'],
  ['Wen Li', 'Data protection', 'privacy'],
  ['Beatriz Costa', 'Employment', 'employment'],
  ['Daniel Kovacs', 'Trainee', 'contracts', 'viewer'],
  ['Ruth Abrams', 'Office', 'office', 'viewer'],
];

const STUDIO_ROWS: Row[] = [
  ['Clara Castell', 'Creative director', 'direction'],
  ['Noah Petersen', 'Account director', 'direction'],
  ['Amara Diallo', 'Copy lead', 'copy'],
  ['Theo Ashworth', 'Copywriter', 'copy'],
  ['Lena Vogel', 'Copywriter', 'copy'],
  ['Mateo Rossi', 'Designer', 'design'],
  ['Saoirse Byrne', 'Designer', 'design'],
  ['Kofi Mensah', 'Motion designer', 'design'],
  ['Anya Petrova', 'Video producer', 'film'],
  ['Ben Okoye', 'Editor', 'film'],
  ['Isabel Duarte', 'Subtitles', 'film'],
  ['Max Engel', 'Intern', 'design', 'viewer'],
];

const personIn =
  (organizationId: string) =>
  ([name, title, department, role = undefined]: Row): Person => {
    const userId = name.toLowerCase().replaceAll(' ', '-');
    const email = `${userId.replaceAll('-', '.')}@${DOMAINS[organizationId]}`;
    const accessRole = role ?? 'editor';
    return { userId, name, email, organizationId, title, department, accessRole };
  };

export const PEOPLE: Person[] = [
  ...MAKERS.map(personIn(MAKER)),
  ...LAWYERS_ROWS.map(personIn(LAWYERS)),
  ...STUDIO_ROWS.map(personIn(STUDIO)),
];

export const peopleOf = (organizationId: string): Person[] =>
  PEOPLE.filter((person) => person.organizationId === organizationId);

export function personCalled(name: string): Person {
  const person = PEOPLE.find((one) => one.name === name);
  if (!person) throw new Error(`Nobody in the demo is called ${name}.`);
  return person;
}

/** The author of comments, as operations take it. */
export const authorOf = ({ userId, name, email }: Person) => ({ userId, name, email });

/** The agents that comment and suggest beside people. */
export const AGENTS = {
  clauses: { agentId: 'clause-checker', agentType: 'custom', name: 'Clause checker' },
  style: { agentId: 'style-guide', agentType: 'custom', name: 'Style guide' },
} as const;
