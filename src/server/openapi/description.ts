import { STATUSES } from '../../platform/errors.ts';

const statusTable = Object.entries(STATUSES)
  .map(([status, { http, retryable }]) => `| ${status} | ${http} | ${retryable ? 'yes' : 'no'} |`)
  .join('\n');

/** The introduction of the document, in Markdown. */
export const DESCRIPTION = `People, documents, permissions and live editing for your application.

## Calls

Every operation is a \`POST\` to its exact path (case and trailing slash count) with a JSON object as body. The input of the operation is in \`data\`, which is required even when it is empty:

    { "data": { } }

A success has the HTTP code \`200\` and the body \`{ "result": { "status": "success", "message", "data" } }\`; the few operations with another result show it in their schema. A failure is \`{ "error": { "status", "message", "details", "code" } }\`, where \`code\` is the HTTP code and \`details\` is optional. When the input is not valid, \`details.issues\` lists every problem as \`{ path, message }\`, with paths such as \`users[0].userId\`.

Batch operations return a map that says for each id whether it succeeded and, if it did not, why. An item that is refused does not affect the others.

Types are strict: \`"5"\` is not a number, and \`null\` means "not given" only where a schema allows it. Unknown fields of \`data\` are ignored, except by \`users/data/delete\` and \`events/get\`, which refuse them. Organizations, folders, documents and users may have fields of your own (up to 16 KB each), which responses return. A name that resembles a known field that is absent (\`access_type\`, \`accessTpye\`) is refused.

## Credentials

Operations of an **API key** need \`x-svc-api-key\` and \`x-svc-auth-token\`; those of a **workspace** need \`x-svc-workspace-id\` and \`x-svc-workspace-auth-token\`; those of the **administrator** need \`x-svc-admin-token\`. All headers of a level must be sent together. Some operations also accept a **user token** as \`Authorization: Bearer …\` in place of these headers, and are then limited to what that user may do.

An API key owns its data: nothing of one key can be seen with another. Missing and wrong credentials are both \`PERMISSION_DENIED\`. When a key has allowed domains, requests from a browser must come from one of them.

## Statuses

| Status | HTTP | May be sent again as it is |
|---|---|---|
${statusTable}

Requests that are refused before their operation is called are \`INVALID_ARGUMENT\` too, with an HTTP code of their own: \`405\` for a method that is not \`POST\`, \`413\` for a body over the limit, \`415\` for a content type that is not \`application/json\`. A path that does not exist is \`NOT_FOUND\`. Above its rate, a key gets \`429\` with \`Retry-After\`.

A key may have quotas: \`storage\` (bytes), \`mails\` and \`model-tokens\` (per UTC day). Its responses then have the headers \`RateLimit-Policy\` and \`RateLimit\`, and calls that exceed a quota fail with \`RESOURCE_EXHAUSTED\` and \`details.quota\`, \`details.limit\` and \`details.used\`.

## Pages

Lists are returned in pages: \`pageSize\` is the number of items of a page, and its token (\`nextPageToken\`, or \`pageToken\` where the operation says so) is sent back as \`pageToken\` for the next page. The last page has no token. Tokens are opaque, and valid only for the query that they came with; only \`pageSize\` may change between pages.

## Subscriptions

Subscriptions, which tRPC clients follow over server-sent events, are listed under \`x-subscriptions\` by name, with the schemas of their inputs and items. They are called with \`GET /trpc/<name>?input=…\`, best through \`@trpc/client\`.

## Retries

Writes of a workspace or an API key accept an \`Idempotency-Key\`. For 24 hours the same key on the same path with the same body gets the first response again, and the change is made once; a call that arrives while the first one runs waits for it. With another body the key is refused as \`INVALID_ARGUMENT\`. A failure from \`400\` to \`409\` is repeated like a success, except an \`ABORTED\` that a concurrent call caused. After such an \`ABORTED\`, and after any other failure, a repeated call is executed again.

Every response has the id of its request in \`x-request-id\`: the one that you sent, or a generated one. Quote it when you ask for help.`;
