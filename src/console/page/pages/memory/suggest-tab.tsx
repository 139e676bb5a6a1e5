import {
  Badge,
  Button,
  Group,
  List,
  Paper,
  Progress,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Suggestion } from '../../../../client/index.ts';
import { useRead } from '../../api/read.ts';
import { usePageSearch } from '../../app/search.ts';
import { Filters } from '../../parts/filters.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/panel.tsx';
import { Empty, Note } from '../../parts/text.tsx';
import { JudgmentItem } from './judgment-item.tsx';

/** Asks for a suggestion as an application would, and shows what it rests on. */
export function SuggestTab() {
  const [{ ask = '', organizationId, documentId }, change] = usePageSearch();
  const [text, setText] = useState(ask);
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
          <Filters
            filters={[
              { name: 'organizationId', label: 'Organization', kind: 'organization' },
              { name: 'documentId', label: 'Document', kind: 'document' },
            ]}
          >
            <Button type="submit">Suggest</Button>
          </Filters>
        </Stack>
      </form>
      {ask ? (
        <Suggested
          input={{
            query: ask,
            ...(organizationId && { organizationId }),
            ...(organizationId && documentId && { documentId }),
          }}
        />
      ) : (
        <Empty title="Try a suggestion">
          Describe an item. The server suggests a decision from past decisions about similar items.
        </Empty>
      )}
    </Stack>
  );
}

const SHOWN = 20;

interface AskedFor {
  query: string;
  organizationId?: string;
  documentId?: string;
}

/** The suggestion, and the judgments that it is drawn from, as far as they are like the item. */
function Suggested({ input }: { input: AskedFor }) {
  const answer = useRead('memory.suggest', input);
  const found = useRead('memory.search', { ...input, limit: SHOWN });
  return (
    <>
      <Loaded query={answer}>
        {({ primary, conflict }) =>
          primary ? (
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <SuggestionCard suggestion={primary} title="Suggestion" />
              {conflict && <SuggestionCard suggestion={conflict} title="Counter-evidence" />}
            </SimpleGrid>
          ) : (
            <Empty title="No suggestion">There are too few decisions about similar items.</Empty>
          )
        }
      </Loaded>
      <Section title="Similar decisions">
        <Note>Most similar first. Similar and recent decisions count more.</Note>
        <Loaded query={found}>
          {(judgments) =>
            judgments.length === 0 ? (
              <Empty title="None found">No similar item was decided.</Empty>
            ) : (
              judgments.map(({ similarity, ...judgment }) => (
                <JudgmentItem
                  key={judgment.recordId}
                  judgment={judgment}
                  note={
                    <Text size="xs" fw={600}>{`${Math.round(similarity * 100)} % similar`}</Text>
                  }
                />
              ))
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

const LOOKS = {
  approve: { color: 'teal', sign: '✓' },
  reject: { color: 'red', sign: '✕' },
} as const;

/** A suggested decision, how sure it is, and why. */
function SuggestionCard({ suggestion, title }: { suggestion: Suggestion; title: string }) {
  const { recommendation, confidence, basedOn, uniqueReviewers, scopeLabel } = suggestion;
  const { color, sign } = LOOKS[recommendation];
  const percent = Math.round(confidence * 100);
  const notes = { Reasons: suggestion.topReasons, Caveats: suggestion.caveats };
  return (
    <Paper withBorder p="md" component="article" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {title}
          </Title>
          <Badge size="lg" color={color} leftSection={<span aria-hidden="true">{sign}</span>}>
            {recommendation}
          </Badge>
        </Group>
        <div>
          <Text size="sm">{`${percent} % confidence`}</Text>
          <Progress value={percent} color={color} aria-label="Confidence" />
        </div>
        <Text size="sm">
          {`Based on ${basedOn} decisions by ${uniqueReviewers} reviewers. ${scopeLabel}.`}
        </Text>
        {Object.entries(notes).map(
          ([name, lines]) =>
            lines.length > 0 && (
              <div key={name}>
                <Note size="xs">{name}</Note>
                <List size="sm">
                  {lines.map((line) => (
                    <List.Item key={line} className="console-text">
                      {line}
                    </List.Item>
                  ))}
                </List>
              </div>
            ),
        )}
      </Stack>
    </Paper>
  );
}
