"""Adds a comment to the demo document, and prints all of its comments, with Python's standard library only."""

import json
import os
import time
import urllib.error
import urllib.request
import uuid

PATH = os.environ.get("COLLABORATION_CREDENTIALS", "../../.data/quickstart.json")
with open(PATH) as file:
    CREDENTIALS = json.load(file)

RETRYABLE = {429, 503, 504}


def call(path, data, attempts=4):
    """POSTs the data of an operation, and returns the data of its result.

    All attempts have the same idempotency key, so the call takes effect only once.
    """
    request = urllib.request.Request(
        CREDENTIALS["url"] + path,
        data=json.dumps({"data": data}).encode(),
        headers={
            "content-type": "application/json",
            "x-svc-api-key": CREDENTIALS["apiKey"],
            "x-svc-auth-token": CREDENTIALS["authToken"],
            "idempotency-key": str(uuid.uuid4()),
        },
    )
    for attempt in range(attempts):
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)["result"]["data"]
        except urllib.error.HTTPError as error:
            failure = json.load(error)["error"]
            if error.code not in RETRYABLE or attempt == attempts - 1:
                raise SystemExit(f"{failure['status']}: {failure['message']}")
            time.sleep(float(error.headers.get("retry-after", 2**attempt)))


PLACE = {"organizationId": "demo", "documentId": "welcome"}
comment = {"commentText": "Hello from Python", "from": {"userId": "grace"}}
call("/v2/commentannotations/add", {**PLACE, "commentAnnotations": [{"commentData": [comment]}]})

for annotation in call("/v2/commentannotations/get", {"organizationId": "demo", "documentIds": ["welcome"]}):
    for comment in annotation["comments"]:
        print(f"{comment['from']['userId']}: {comment['commentText']}")
