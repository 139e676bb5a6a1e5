-- The few endpoints that fail, those that have failed for longest first.
CREATE INDEX "webhook_queues_failing" ON "webhook_queues"("failing_since")
    WHERE "failing_since" IS NOT NULL;
