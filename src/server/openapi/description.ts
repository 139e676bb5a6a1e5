import { STATUSES } from '../../platform/errors.ts';

const statusTable = Object.entries(STATUSES)
  .map(([status, { http, retryable }]) => `| ${status} | ${http} | ${retryable ? 'yes' : 'no'} |`)
  .join('\n');

/** The introduction of the document, in Markdown. */
export const DESCRIPTION = `People, documents, permissions and live editing for your application.

## Calls

Every operation is a \`POST\` to its exact path (case and trailing slash count) with a JSON object as body. What the operation needs stands in \`data\`, which is always there, also when it is empty:

    { "data": { } }

A success is answered with \`200\` and \`{ "result": { "status": "success", "message", "data" } }\`; the few operations with another result show it in their schema. A failure is \`{ "error": { "status", "message", "details", "code" } }\`, where \`code\` is the HTTP code and \`details\` is there when there is more to say. When the input is not valid, \`details.issues\` lists every problem as \`{ path, message }\`, with paths such as \`users[0].userId\`.

Batch operations answer with a map: for each id, whether it succeeded and why not. One bad item does not spoil the others.

Types are strict: \`"5"\` is no number, and \`null\` means "not given" only where a schema allows it. Unknown fields of \`data\` are ignored, except by \`users/data/delete\` and \`events/get\`, which refuse them. Organizations, folders, documents and users may carry fields of your own (up to 16 KB each), and you get them back. A name that resembles a known field that is absent (\`access_type\`, \`accessTpye\`) is refused.

## Credentials

Operations of an **API key** need \`x-svc-api-key\` and \`x-svc-auth-token\`; those of a **workspace** need \`x-svc-workspace-id\` and \`x-svc-workspace-auth-token\`; those of the **administrator** need \`x-svc-admin-token\`. All headers of a level go together. Some operations also take a **user token** as \`Authorization: Bearer …\` in place of the auth token, and are then limited to what that user may do.

An API key owns its data: nothing of one key can be seen with another. Missing and wrong credentials are both \`PERMISSION_DENIED\`. When a key has allowed domains, requests from a browser must come from one of them.

## Statuses

| Status | HTTP | May be sent again as it is |
|---|---|---|
${statusTable}

The requests refused before their operation is asked are \`INVALID_ARGUMENT\` too, under an HTTP code of their own: \`405\` for a method that is not \`POST\`, \`413\` for a body over the limit, \`415\` for a content type that is not \`application/json\`. A path that does not exist is \`NOT_FOUND\`. Above its rate, a key gets \`429\` with \`Retry-After\`.

A key may have quotas: \`storage\` (bytes), \`mails\` and \`model-tokens\` (in a day of UTC). Its answers then carry \`RateLimit-Policy\` and \`RateLimit\`, and what goes over one is \`RESOURCE_EXHAUSTED\` with \`details.quota\`, \`details.limit\` and \`details.used\`.

## Pages

Lists come a page at a time: \`pageSize\` says how many, and the token that comes with a page (\`nextPageToken\`, or \`pageToken\` where the operation says so) is sent back as \`pageToken\` for the next one. On the last page there is no token. Tokens are opaque and belong to the query that made them; only \`pageSize\` may change between pages.

## As it happens

What clients of tRPC follow over server-sent events stands under \`x-subscriptions\`: the name of each subscription with the schemas of its input and of its items. It is called with \`GET /trpc/<name>?input=…\`, best through \`@trpc/client\`.

## Sending again

Writes of a workspace or an API key take an \`Idempotency-Key\`. For 24 hours the same key on the same path with the same body gets the first answer again, and the change is made once; a call that comes while the first one runs waits for it. With another body the key is refused as \`INVALID_ARGUMENT\`. Failures from \`400\` to \`409\` are answered again as they were, others are tried anew.

Every answer names its request in \`x-request-id\`: as you sent it, or as we made it. Give it when you ask for help.`;
