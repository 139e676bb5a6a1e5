-- A subscription that resumes looks for the deletion of its document, without reading the log.
CREATE INDEX "events_document_deletions" ON "events"("tenant_id", "organization_id", "document_id", "sequence") WHERE "type" = 'document.delete';
