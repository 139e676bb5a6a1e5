#!/bin/sh
# Adds a comment to the demo document, and prints all of its comments, with nothing but curl.
set -eu
: "${COLLABORATION_CREDENTIALS:=../../.data/quickstart.json}"
credential() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$COLLABORATION_CREDENTIALS"; }
url=$(credential url)

call() {
  # The headers are passed over standard input, since all users of a machine can read the arguments of a process.
  printf 'x-svc-api-key: %s\nx-svc-auth-token: %s\n' "$(credential apiKey)" "$(credential authToken)" |
    curl --silent --show-error --fail-with-body --retry 3 -H @- \
      -H 'content-type: application/json' -d "$2" "$url$1"
  echo
}

call /v2/commentannotations/add '{ "data": {
  "organizationId": "demo", "documentId": "welcome",
  "commentAnnotations": [{ "commentData": [
    { "commentText": "Hello from curl", "from": { "userId": "grace" } }
  ] }]
} }'
call /v2/commentannotations/get '{ "data": { "organizationId": "demo", "documentIds": ["welcome"] } }'
