import { HEADERS } from '../../api/credentials/headers.ts';
import { printJson, printPython, printTypeScript } from './literals.ts';
import { fence } from './markdown.ts';

/** The call of a sample. A sample runs as it is, with the credentials in the environment. */
interface Call {
  name: string;
  path: string;
  /** The security schemes whose credentials the call takes. */
  schemes: string[];
  input: object;
  isNdjson?: boolean;
}

const inEveryLanguage = (sh: string, ts: string, python: string): string =>
  [fence('sh', sh), fence('ts', ts), fence('python', python)].join('\n\n');

/** Samples of a call in every language. */
export const callSamples = (call: Call): string =>
  inEveryLanguage(curl(call), typeScript(call), python(call));

/** The credential headers of a call, each with the prefix of its value and the environment variable that holds it. */
const headersOf = ({ schemes }: Call): Array<[header: string, prefix: string, variable: string]> =>
  schemes.map((scheme) => {
    const variable = scheme.replace(/[A-Z]/g, '_$&').toUpperCase();
    if (scheme === 'userToken') return [HEADERS.authorization, 'Bearer ', variable];
    return [HEADERS[scheme as keyof typeof HEADERS], '', variable];
  });

/** Matches a fixed time in `since`. Samples compute the time an hour ago instead: operations accept only recent times. */
const FIXED_SINCE = /\b(since"?: )\d+/;

function curl(call: Call): string {
  const body = printJson({ data: call.input })
    .replaceAll("'", "'\\''")
    .replace(FIXED_SINCE, `$1'"$(($(date +%s) - 3600))000"'`);
  return [
    `curl -sS "$URL${call.path}" \\`,
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

const SERVER_CLIENT = `import { createServerClient } from 'collaboration-client/server';

const { URL: url = '', API_KEY: apiKey = '', AUTH_TOKEN: authToken = '' } = process.env;
const client = createServerClient({ url, apiKey, authToken });`;

function typeScript(call: Call): string {
  const { name, schemes } = call;
  const input = printTypeScript(call.input).replace(FIXED_SINCE, '$1Date.now() - 3_600_000');
  // The client takes only API keys and user tokens.
  if (!schemes.includes('apiKey') && !schemes.includes('userToken')) return fetchCall(call, input);
  return `${schemes.includes('userToken') ? USER_CLIENT : SERVER_CLIENT}

const result = await client.${name}(${input});
console.log(result);`;
}

const fetchCall = (call: Call, input: string): string =>
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
  const data = printPython(call.input).replace(
    FIXED_SINCE,
    '$1int(time.time() * 1000) - 3_600_000',
  );
  const modules = data.includes('time.time') ? 'json, os, time' : 'json, os';
  const headers = headersOf(call).map(([name, prefix, variable]) => {
    return `        "${name}": ${prefix && `"${prefix}" + `}os.environ["${variable}"],`;
  });
  const read = call.isNdjson
    ? '    for line in response:\n        print(json.loads(line))'
    : '    print(json.load(response)["result"])';
  return `import ${modules}, urllib.request

data = ${data}
request = urllib.request.Request(
    os.environ["URL"] + "${call.path}",
    headers={
        "content-type": "application/json",
${headers.join('\n')}
    },
    data=json.dumps({"data": data}).encode(),
)
with urllib.request.urlopen(request) as response:
${read}`;
}

/** Samples of a user's subscription in every language. */
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
