-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "quota_mails_per_day" BIGINT,
ADD COLUMN     "quota_model_tokens_per_day" BIGINT,
ADD COLUMN     "quota_storage_bytes" BIGINT;

-- CreateTable
CREATE TABLE "quota_usages" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "measured_bytes" BIGINT NOT NULL DEFAULT 0,
    "accepted_bytes" BIGINT NOT NULL DEFAULT 0,
    "measure_ms" INTEGER NOT NULL DEFAULT 0,
    "measure_due_at" TIMESTAMPTZ(3),
    "day" DATE NOT NULL,
    "mails" BIGINT NOT NULL DEFAULT 0,
    "model_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "quota_usages_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE INDEX "quota_usages_measure_due_at_idx" ON "quota_usages"("measure_due_at");

-- AddForeignKey
ALTER TABLE "quota_usages" ADD CONSTRAINT "quota_usages_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
