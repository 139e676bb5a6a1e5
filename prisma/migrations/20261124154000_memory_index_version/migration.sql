-- Judgments of the version before, and those that its processes still write, are indexed again by a
-- periodic task (src/features/memory/judgments/reindex-judgments.ts). The index is empty afterwards.
ALTER TABLE "memory_judgments" ADD COLUMN "index_version" SMALLINT NOT NULL DEFAULT 1;

CREATE INDEX "memory_judgments_to_reindex" ON "memory_judgments"("tenant_id", "created_ms") WHERE "index_version" < 2;
