import { HEADERS } from '../../api/credentials/headers.ts';
import type { Status } from '../../platform/errors.ts';
import { printJson, printPython, printTypeScript } from './literals.ts';
import { fence } from './markdown.ts';

/** A call, of which the samples run as they are with the credentials in the environment. */
interface Call {
  name: string;
  path: string;
  /** The security schemes whose credentials it takes. */
  schemes: string[];
  input: object;
  isNdjson?: boolean;
  /** The status that the samples handle. */
  failure?: Status;
}

const inEveryLanguage = (sh: string, ts: string, python: string): string =>
  [fence('sh', sh), fence('ts', ts), fence('python', python)].join('\n\n');

/** A call of an operation in every language. */
export const callSamples = (call: Call): string =>
  inEveryLanguage(curl(call), typeScript(call), python(call));

/** The headers of a call, each with the prefix and the variable of its value. */
const headersOf = ({ schemes }: Call): Array<[header: string, prefix: string, variable: string]> =>
  schemes.map((scheme) => {
    const variable = scheme.replace(/[A-Z]/g, '_$&').toUpperCase();
    if (scheme === 'userToken') return [HEADERS.authorization, 'Bearer ', variable];
    return [HEADERS[scheme as keyof typeof HEADERS], '', variable];
  });

/** The operations that take a time take a recent one only: an hour ago, since a date would age. */
const SINCE = /\b(since"?: )\d+/;

function curl(call: Call): string {
  const status = call.failure ? ` -w '\\nHTTP %{http_code}\\n'` : '';
  const body = printJson({ data: call.input })
    .replaceAll("'", "'\\''")
    .replace(SINCE, `$1'"$(($(date +%s) - 3600))000"'`);
  return [
    `curl -sS${status} "$URL${call.path}" \\`,
    "  -H 'content-type: application/json' \\",
    ...headersOf(call).map(
      ([name, prefix, variable]) => `  -H "${name}: ${prefix}$${variable}" \\`,
    ),
    `  -d '${body}'`,
  ].join('\n');
}

const USER_CLIENT = `import { createClient } from 'collaboration-client';

const { URL: url = '', USER_TOKEN: token = '' } = process.env;
const client = createClient({ url, token });`;

const serverClient = (failure?: Status): string =>
  `import { ${failure ? 'CollaborationError, ' : ''}createServerClient } from 'collaboration-client/server';

const { URL: url = '', API_KEY: apiKey = '', AUTH_TOKEN: authToken = '' } = process.env;
const client = createServerClient({ url, apiKey, authToken });`;

const indented = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

function typeScript(call: Call): string {
  const { name, schemes, failure } = call;
  const input = printTypeScript(call.input).replace(SINCE, '$1Date.now() - 3_600_000');
  const invocation = `const result = await client.${name}(${input});\nconsole.log(result);`;
  if (schemes.includes('userToken')) return `${USER_CLIENT}\n\n${invocation}`;
  // The client is for API keys. Workspaces and administrators call rarely, from scripts.
  if (!schemes.includes('apiKey')) return typeScriptFetch(call, input);
  if (!failure) return `${serverClient()}\n\n${invocation}`;
  return `${serverClient(failure)}

try {
${indented(invocation, '  ')}
} catch (error) {
  if (!(error instanceof CollaborationError) || error.status !== '${failure}') throw error;
  console.log(error.status, error.httpStatus, error.message, error.details, error.requestId);
}`;
}

const typeScriptFetch = (call: Call, input: string): string =>
  `const data = ${input};
const response = await fetch(\`\${process.env.URL}${call.path}\`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
${headersOf(call)
  .map(([name, , variable]) => `    '${name}': process.env.${variable} ?? '',`)
  .join('\n')}
  },
  body: JSON.stringify({ data }),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`;

function python(call: Call): string {
  const data = printPython(call.input).replace(SINCE, '$1int(time.time() * 1000) - 3_600_000');
  const modules = ['json', 'os', ...(data.includes('time.time') ? ['time'] : [])];
  if (call.failure) modules.push('urllib.error');
  const headers = headersOf(call).map(([name, prefix, variable]) => {
    return `        "${name}": ${prefix && `"${prefix}" + `}os.environ["${variable}"],`;
  });
  const read = `with urllib.request.urlopen(request) as response:
${call.isNdjson ? '    for line in response:\n        print(json.loads(line))' : '    print(json.load(response)["result"])'}`;
  return `import ${[...modules, 'urllib.request'].join(', ')}

data = ${data}
request = urllib.request.Request(
    os.environ["URL"] + "${call.path}",
    headers={
        "content-type": "application/json",
${headers.join('\n')}
    },
    data=json.dumps({"data": data}).encode(),
)
${call.failure ? pythonHandling(read, call.failure) : read}`;
}

const pythonHandling = (read: string, failure: Status): string => `try:
${indented(read, '    ')}
except urllib.error.HTTPError as failure:
    error = json.load(failure)["error"]
    if error["status"] != "${failure}":
        raise
    print(error["status"], error["code"], error["message"], error.get("details"))`;

/** A subscription of a user in every language. */
export const subscriptionSamples = (name: string, input: object): string =>
  inEveryLanguage(
    `curl -sS -N -G "$URL/trpc/${name}" \\
  -H "authorization: Bearer $USER_TOKEN" \\
  --data-urlencode 'input=${printJson({ json: input })}'`,
    `${USER_CLIENT}

const items = client.${name}(${printTypeScript(input)});
for await (const { id, data } of items) {
  console.log(id, data);
}`,
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
            event = "message"`,
  );
