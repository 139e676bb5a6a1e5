-- CreateTable
CREATE TABLE "crdt_versions" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "log_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "version_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT,
    "version" BIGINT NOT NULL,
    "snapshot" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT,

    CONSTRAINT "crdt_versions_pkey" PRIMARY KEY ("tenant_id","log_id","number")
);

-- CreateTable
CREATE TABLE "crdt_tombstones" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "editor_id" TEXT COLLATE "C" NOT NULL,
    "clients" BIGINT[],
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "crdt_tombstones_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id","editor_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "crdt_versions_tenant_id_version_id_key" ON "crdt_versions"("tenant_id", "version_id");

-- AddForeignKey
ALTER TABLE "crdt_versions" ADD CONSTRAINT "crdt_versions_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crdt_tombstones" ADD CONSTRAINT "crdt_tombstones_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;
