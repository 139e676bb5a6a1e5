import type { ApiDocument, ApiSubscription } from './api-document.ts';
import { printJsonValue, printPython, printTypeScript } from './literals.ts';
import { code, fence } from './markdown.ts';
import { callersOf } from './operation-page.ts';
import { SchemaDescriber } from './schema-tables.ts';

/** Writes the page of a subscription in Markdown. */
export function subscriptionPage(name: string, document: ApiDocument): string {
  const subscription = document['x-subscriptions'][name];
  if (!subscription) throw new Error(`The document has no subscription ${name}.`);
  const { summary, description, security, input, item } = subscription;
  const describer = new SchemaDescriber(document.components.schemas);
  return [
    `# ${summary}`,
    `${code(`GET /trpc/${name}`)} · ${code(name)}`,
    description,
    `Takes the credentials of ${callersOf(security)}. Guide: [events](../events.md#subscriptions).`,
    fence('sh', curl(name, inputOf(subscription))),
    fence('ts', typeScript(name, inputOf(subscription))),
    fence('python', python(name, inputOf(subscription))),
    '## Input',
    describer.input(input),
    '## Items',
    'The field `data` of each item.',
    describer.output(item),
  ].join('\n\n');
}

const VALUES: Record<string, unknown> = {
  organizationId: 'acme',
  documentId: 'launch-plan',
  model: 'gen-4o',
  prompt: 'Make this friendlier. Answer with the text alone.',
  text: 'Your invoice is late.',
};

const inputOf = ({ input }: ApiSubscription): object =>
  Object.fromEntries((input.required ?? []).map((field) => [field, VALUES[field]]));

const curl = (name: string, input: object): string =>
  `curl -sS -N -G "$URL/trpc/${name}" \\
  -H "authorization: Bearer $USER_TOKEN" \\
  --data-urlencode 'input=${printJsonValue({ json: input })}'`;

const typeScript = (name: string, input: object): string =>
  `import { createClient } from 'collaboration-client';

const { URL: url = '', USER_TOKEN: token = '' } = process.env;
const client = createClient({ url, token });

const items = client.${name}(${printTypeScript(input)});
for await (const { id, data } of items) {
  console.log(id, data);
}`;

const python = (name: string, input: object): string =>
  `import json, os, urllib.parse, urllib.request

data = ${printPython(input)}
query = urllib.parse.urlencode({"input": json.dumps({"json": data})})
request = urllib.request.Request(
    os.environ["URL"] + "/trpc/${name}?" + query,
    headers={"authorization": "Bearer " + os.environ["USER_TOKEN"]},
)
with urllib.request.urlopen(request) as stream:
    event = "message"
    for line in stream:
        name, _, value = line.decode().rstrip("\\n").partition(": ")
        if name == "event":
            event = value
        elif name == "data" and event == "message":
            print(json.loads(value)["json"], flush=True)
        elif name == "":
            event = "message"`;
