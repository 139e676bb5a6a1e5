-- AlterTable
ALTER TABLE "activity_chains" ADD COLUMN     "hashed_as" TEXT;

-- CreateTable
CREATE TABLE "transfers" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "job_id" TEXT COLLATE "C" NOT NULL,
    "kind" TEXT NOT NULL,
    "request" TEXT,
    "organization_id" TEXT COLLATE "C",
    "state" TEXT NOT NULL,
    "size" BIGINT,
    "checksum" TEXT,
    "progress" JSONB NOT NULL DEFAULT '{}',
    "report" JSONB,
    "problem" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "remove_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "transfers_pkey" PRIMARY KEY ("tenant_id","job_id")
);

-- CreateIndex
CREATE INDEX "transfers_remove_at_idx" ON "transfers"("remove_at");

-- CreateIndex
CREATE UNIQUE INDEX "transfers_tenant_id_request_key" ON "transfers"("tenant_id", "request");
