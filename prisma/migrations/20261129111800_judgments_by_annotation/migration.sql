-- Apart from the column, so that judgments can be read meanwhile. Unreleased versions have made it with the column.
CREATE INDEX IF NOT EXISTS "memory_judgments_by_annotation" ON "memory_judgments"("tenant_id", "annotation_id");
