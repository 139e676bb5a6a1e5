import './access.css';
import { Grid } from '@mantine/core';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Page } from '../../parts/page.tsx';
import { Answer } from './answer.tsx';
import { questionOf } from './question.ts';
import { RoleHolders } from './role-holders.tsx';

const NO_WHAT_IF = { if: undefined, on: undefined, role: undefined, until: undefined };

/** Why a user may, or may not, open a document, a folder or an organization. */
export function Access() {
  const [search, change] = usePageSearch();
  const { organization = '', user = '', document = '', folder = '' } = search;
  const question = questionOf(search);
  const pick = { organizationId: organization || undefined, disabled: !organization };
  return (
    <Page
      title="Access"
      about="Check why someone can or cannot open something, and preview changes."
      actions={question && <CopyCurl operation="permissions.explain" input={question} />}
    >
      <Grid>
        <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
          <EntryPicker
            kind="organization"
            label="Organization"
            value={organization}
            onChange={(id) =>
              change({ organization: id, document: undefined, folder: undefined, ...NO_WHAT_IF })
            }
            required
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
          <EntryPicker
            kind="user"
            label="User"
            value={user}
            onChange={(id) => change({ user: id, ...NO_WHAT_IF })}
            required
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
          <EntryPicker
            kind="document"
            label="Document"
            {...pick}
            value={document}
            onChange={(id) => change({ document: id, folder: undefined, ...NO_WHAT_IF })}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6, lg: 3 }}>
          <EntryPicker
            kind="folder"
            label="or folder"
            {...pick}
            value={folder}
            onChange={(id) => change({ folder: id, document: undefined, ...NO_WHAT_IF })}
          />
        </Grid.Col>
      </Grid>
      {question && <Answer key={JSON.stringify(question)} question={question} />}
      {!question && organization && <RoleHolders organizationId={organization} />}
      {!question && !organization && (
        <Empty title="Choose what to check">
          Choose an organization and a user, and optionally a document or folder.
        </Empty>
      )}
    </Page>
  );
}
