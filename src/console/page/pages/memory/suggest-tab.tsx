import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useKey } from '../../api/key.ts';
import { usePageSearch } from '../../app/use-search.ts';
import { CopyCurl } from '../../parts/copy-curl.tsx';
import { Empty } from '../../parts/empty.tsx';
import { EntryPicker } from '../../parts/entry-picker.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { JudgmentItem } from './judgment-item.tsx';
import { SuggestionCard } from './suggestion-card.tsx';

/** Asks for a suggestion as an application would, and shows what it rests on. */
export function SuggestTab() {
  const [{ ask = '', organizationId = '', documentId = '' }, change] = usePageSearch();
  const [text, setText] = useState(ask);
  const input = {
    query: ask,
    ...(organizationId && { organizationId }),
    ...(organizationId && documentId && { documentId }),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change({ ask: text.trim() }, 'push');
  };
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Textarea
            label="Item to decide about"
            placeholder="Discount of 15 percent for a renewal"
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            maxLength={65_536}
            autosize
            minRows={2}
            required
          />
          <div className="memory-filters">
            <EntryPicker
              kind="organization"
              label="Organization"
              value={organizationId}
              onChange={(id) => change({ organizationId: id })}
            />
            <EntryPicker
              kind="document"
              label="Document"
              organizationId={organizationId}
              value={documentId}
              onChange={(id) => change({ documentId: id })}
              disabled={!organizationId}
            />
            <Group gap="xs">
              <Button type="submit">Suggest</Button>
              {ask && <CopyCurl operation="memory.suggest" input={input} />}
            </Group>
          </div>
        </Stack>
      </form>
      {ask ? (
        <Suggested input={input} />
      ) : (
        <Empty title="Try a suggestion">
          Describe an item. The server suggests a decision from past decisions about similar items.
        </Empty>
      )}
    </Stack>
  );
}

interface AskedFor {
  query: string;
  organizationId?: string;
  documentId?: string;
}

function Suggested({ input }: { input: AskedFor }) {
  const { apiKey, client } = useKey();
  const answer = useQuery({
    queryKey: ['memory', apiKey, 'suggest', input],
    queryFn: ({ signal }) => client.memory.suggest(input, { signal }),
  });
  return (
    <>
      <Loaded query={answer}>
        {({ primary, conflict }) =>
          primary ? (
            <div className="memory-cards">
              <SuggestionCard suggestion={primary} title="Suggestion" />
              {conflict && <SuggestionCard suggestion={conflict} title="Counter-evidence" />}
            </div>
          ) : (
            <Empty title="No suggestion">There are too few decisions about similar items.</Empty>
          )
        }
      </Loaded>
      <Precedents input={input} />
    </>
  );
}

const SHOWN = 20;

/** The judgments that a suggestion is drawn from, as far as they are like the item. */
function Precedents({ input }: { input: AskedFor }) {
  const { apiKey, client } = useKey();
  const found = useQuery({
    queryKey: ['memory', apiKey, 'search', input],
    queryFn: ({ signal }) => client.memory.search({ ...input, limit: SHOWN }, { signal }),
  });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Similar decisions
      </Title>
      <Text size="sm" c="dimmed">
        Most similar first. Similar and recent decisions count more.
      </Text>
      <Loaded query={found}>
        {(judgments) =>
          judgments.length === 0 ? (
            <Empty title="None found">No similar item was decided.</Empty>
          ) : (
            <Stack gap="xs">
              {judgments.map(({ similarity, reviewer, ...judgment }) => (
                <JudgmentItem
                  key={judgment.recordId}
                  judgment={{
                    ...judgment,
                    reviewerId: reviewer?.userId,
                    reviewerName: reviewer?.name,
                  }}
                  note={
                    <Text size="xs" fw={600}>{`${Math.round(similarity * 100)} % similar`}</Text>
                  }
                />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}
