-- AlterTable
ALTER TABLE "crdt_documents" ADD COLUMN     "replaced_version" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "crdt_clients" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "log_id" UUID NOT NULL,
    "client_id" BIGINT NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "crdt_clients_pkey" PRIMARY KEY ("tenant_id","log_id","client_id")
);

-- AddForeignKey
ALTER TABLE "crdt_clients" ADD CONSTRAINT "crdt_clients_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE CASCADE;
