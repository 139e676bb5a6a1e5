import type { Status } from '../../platform/errors.ts';
import type { CodeSample } from './examples.ts';
import { printJsonValue, printPython, printTypeScript } from './literals.ts';

interface Call {
  name: string;
  path: string;
  input: object;
}

const READ: Call = {
  name: 'documents.get',
  path: '/v2/organizations/documents/get',
  input: { organizationId: 'acme' },
};

/** Calls that fail with a status whatever the server holds. */
const FAILING: Partial<Record<Status, Call>> = {
  INVALID_ARGUMENT: { ...READ, input: { organizationId: 'acme', pageSize: 0 } },
  NOT_FOUND: {
    name: 'userData.deleteStatus',
    path: '/v2/users/data/delete/status',
    input: { jobId: 'cV3xk1mGq8TzW5bYp0Ra' },
  },
};

/** Samples of programs that read a failure, in every language. */
export function handlingSamples(status: Status): Array<Omit<CodeSample, 'label'>> {
  const call = FAILING[status] ?? READ;
  return [
    { language: 'sh', source: curl(call) },
    { language: 'ts', source: typeScript(call, status) },
    { language: 'python', source: python(call, status) },
  ];
}

const curl = ({ path, input }: Call): string =>
  `curl -sS -w '\\nHTTP %{http_code}\\n' "$URL${path}" \\
  -H 'content-type: application/json' \\
  -H "x-svc-api-key: $API_KEY" \\
  -H "x-svc-auth-token: $AUTH_TOKEN" \\
  -d '${printJsonValue({ data: input })}'`;

const typeScript = ({ name, input }: Call, status: Status): string =>
  `import { CollaborationError, createServerClient } from 'collaboration-client/server';

const { URL: url = '', API_KEY: apiKey = '', AUTH_TOKEN: authToken = '' } = process.env;
const client = createServerClient({ url, apiKey, authToken });

try {
  const result = await client.${name}(${printTypeScript(input)});
  console.log(result);
} catch (error) {
  if (!(error instanceof CollaborationError) || error.status !== '${status}') throw error;
  console.log(error.status, error.httpStatus, error.message, error.details, error.requestId);
}`;

const python = ({ path, input }: Call, status: Status): string =>
  `import json, os, urllib.error, urllib.request

data = ${printPython(input)}
request = urllib.request.Request(
    os.environ["URL"] + "${path}",
    headers={
        "content-type": "application/json",
        "x-svc-api-key": os.environ["API_KEY"],
        "x-svc-auth-token": os.environ["AUTH_TOKEN"],
    },
    data=json.dumps({"data": data}).encode(),
)
try:
    with urllib.request.urlopen(request) as response:
        print(json.load(response)["result"])
except urllib.error.HTTPError as failure:
    error = json.load(failure)["error"]
    if error["status"] != "${status}":
        raise
    print(error["status"], error["code"], error["message"], error.get("details"))`;
