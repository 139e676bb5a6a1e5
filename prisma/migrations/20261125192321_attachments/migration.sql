-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "require_attachment_approval" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "attachments" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "attachment_id" TEXT COLLATE "C" NOT NULL,
    "author_id" TEXT COLLATE "C",
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "checksum" TEXT,
    "created_ms" BIGINT NOT NULL,
    "completed" BOOLEAN NOT NULL DEFAULT false,
    "remove_at" TIMESTAMPTZ(3),

    CONSTRAINT "attachments_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id","attachment_id")
);

-- CreateIndex
CREATE INDEX "attachments_by_author" ON "attachments"("tenant_id", "author_id", "organization_id", "document_id", "attachment_id");

-- CreateIndex
CREATE INDEX "attachments_remove_at_idx" ON "attachments"("remove_at");
