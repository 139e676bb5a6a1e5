import { type ApiOperation, exampleInput, successOf } from './api-document.ts';
import { headersOf, printJsonValue, printPython, printTypeScript } from './literals.ts';

/** A call in one language, which runs as it is with the credentials in the environment. */
export interface CodeSample {
  /** The language of the fenced block. */
  language: 'sh' | 'ts' | 'python';
  label: 'curl' | 'TypeScript' | 'Python';
  source: string;
}

type Call = Pick<ApiOperation, 'operationId' | 'security'> & {
  path: string;
  input: object;
  isNdjson: boolean;
};

/** The example of an operation in every language. */
export function samplesOf(operation: ApiOperation & { path: string }): CodeSample[] {
  const input = exampleInput(operation);
  const isNdjson = successOf(operation).type === 'application/x-ndjson';
  return samplesOfCall({ ...operation, input, isNdjson });
}

export const samplesOfCall = (call: Call): CodeSample[] => [
  { language: 'sh', label: 'curl', source: curl(call) },
  { language: 'ts', label: 'TypeScript', source: typeScript(call) },
  { language: 'python', label: 'Python', source: python(call) },
];

function curl({ path, security, input }: Call): string {
  const headers = Object.entries(headersOf(security)).map(
    ([name, variable]) => `  -H "${name}: ${prefixOf(name)}$${variable}" \\`,
  );
  const body = printJsonValue({ data: input })
    .replaceAll("'", "'\\''")
    .replace(SINCE, `$1'"$(($(date +%s) - 3600))000"'`);
  return [
    `curl -sS "$URL${path}" \\`,
    "  -H 'content-type: application/json' \\",
    ...headers,
    `  -d '${body}'`,
  ].join('\n');
}

/** The operations that take a time take a recent one only: an hour ago, since a date would age. */
const SINCE = /\b(since"?: )\d+/;

const inputInTypeScript = (input: object): string =>
  printTypeScript(input).replace(SINCE, '$1Date.now() - 3_600_000');

function typeScript(call: Call): string {
  const [schemes = {}] = call.security;
  if ('apiKey' in schemes) return withServerClient(call);
  return 'userToken' in schemes ? withUserClient(call) : withFetch(call);
}

const withUserClient = ({ operationId, input }: Call): string =>
  `import { createClient } from 'collaboration-client';

const { URL: url = '', USER_TOKEN: token = '' } = process.env;
const client = createClient({ url, token });

const result = await client.${operationId}(${inputInTypeScript(input)});
console.log(result);`;

const withServerClient = ({ operationId, input }: Call): string =>
  `import { createServerClient } from 'collaboration-client/server';

const { URL: url = '', API_KEY: apiKey = '', AUTH_TOKEN: authToken = '' } = process.env;
const client = createServerClient({ url, apiKey, authToken });

const result = await client.${operationId}(${inputInTypeScript(input)});
console.log(result);`;

/** The client is for API keys. Workspaces and administrators call rarely, from scripts. */
function withFetch({ path, security, input }: Call): string {
  const headers = Object.entries(headersOf(security)).map(
    ([name, variable]) => `    '${name}': process.env.${variable} ?? '',`,
  );
  return `const data = ${inputInTypeScript(input)};
const response = await fetch(\`\${process.env.URL}${path}\`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
${headers.join('\n')}
  },
  body: JSON.stringify({ data }),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`;
}

function python({ path, security, input, isNdjson }: Call): string {
  const headers = Object.entries(headersOf(security)).map(([name, variable]) => {
    const prefix = prefixOf(name) && `"${prefixOf(name)}" + `;
    return `        "${name}": ${prefix}os.environ["${variable}"],`;
  });
  const read = isNdjson
    ? '    for line in response:\n        print(json.loads(line))'
    : '    print(json.load(response)["result"])';
  const data = printPython(input).replace(SINCE, '$1int(time.time() * 1000) - 3_600_000');
  const modules = data.includes('time.time') ? 'json, os, time' : 'json, os';
  return `import ${modules}, urllib.request

data = ${data}
request = urllib.request.Request(
    os.environ["URL"] + "${path}",
    headers={
        "content-type": "application/json",
${headers.join('\n')}
    },
    data=json.dumps({"data": data}).encode(),
)
with urllib.request.urlopen(request) as response:
${read}`;
}

/** The prefix of the credentials in a header. */
const prefixOf = (header: string): string => (header === 'authorization' ? 'Bearer ' : '');
