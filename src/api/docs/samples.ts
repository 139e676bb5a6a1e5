import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ApiDocument, operationsIn } from './reference/api-document.ts';
import { samplesOf } from './reference/examples.ts';

/**
 * Prints the document with the examples of the pages, where the viewer shows them. Other requests are
 * answered in between.
 */
export async function printWithSamples(document: ApiDocument): Promise<string> {
  const { paths: _paths, ...others } = document;
  const items: string[] = [];
  for (const { path, ...post } of operationsIn(document)) {
    await nextTurn();
    const samples = samplesOf({ path, ...post }).map(({ language, label, source }) => ({
      lang: language,
      label,
      source,
    }));
    const item = { post: { ...post, 'x-codeSamples': samples } };
    items.push(`${JSON.stringify(path)}:${JSON.stringify(item)}`);
  }
  return `${JSON.stringify(others).slice(0, -1)},"paths":{${items.join(',')}}}`;
}
