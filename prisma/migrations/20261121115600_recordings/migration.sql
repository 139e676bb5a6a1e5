-- CreateTable
CREATE TABLE "recordings" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "recording_id" TEXT COLLATE "C" NOT NULL,
    "author_id" TEXT COLLATE "C" NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "content" JSONB NOT NULL,

    CONSTRAINT "recordings_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id","recording_id")
);

-- CreateIndex
CREATE INDEX "recordings_by_author" ON "recordings"("tenant_id", "organization_id", "author_id", "position");

-- AddForeignKey
ALTER TABLE "recordings" ADD CONSTRAINT "recordings_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;
