import { json, type Reply } from './model-provider.ts';

/** Words with the same meaning. Each row is one dimension. */
const SAME = [
  ['car', 'cars', 'automobile', 'vehicle'],
  ['buy', 'purchase', 'acquire'],
  ['holiday', 'vacation', 'leave'],
  ['doctor', 'physician', 'medic'],
];
const OTHERS = 400;

/** A vector as a model creates it: paraphrases are close, whatever their words. */
function meaningIn(text: string, dimensions: number): number[] {
  const vector = Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[a-z]{3,}/g) ?? []) {
    const same = SAME.findIndex((words) => words.includes(word));
    const at = same >= 0 ? same : SAME.length + (hash(word) % OTHERS);
    vector[at] = (vector[at] ?? 0) + 3;
  }
  return vector;
}

const hash = (word: string) =>
  [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);

/** Answers like a provider of embeddings, which gives the order only by `index`. */
export const embeds: Reply = ({ body }, response) =>
  json(response, 200, embeddingsOf(body.input, body.dimensions));

export const embeddingsOf = (input: string[], dimensions: number) => ({
  object: 'list',
  model: 'embedding',
  data: input
    .map((text, index) => ({
      object: 'embedding',
      index,
      embedding: meaningIn(text, dimensions),
    }))
    .reverse(),
  usage: { prompt_tokens: 8, total_tokens: 8 },
});
