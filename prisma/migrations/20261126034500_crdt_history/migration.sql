-- CreateTable
CREATE TABLE "crdt_history" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "log_id" UUID NOT NULL,
    "base_version" BIGINT NOT NULL,
    "base" BYTEA,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "authors" TEXT[],
    "updates" BYTEA NOT NULL,

    CONSTRAINT "crdt_history_pkey" PRIMARY KEY ("tenant_id","log_id","base_version")
);

-- CreateIndex
CREATE INDEX "crdt_history_until_idx" ON "crdt_history"("until");

-- AddForeignKey
ALTER TABLE "crdt_history" ADD CONSTRAINT "crdt_history_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE NO ACTION;
