-- CreateTable
CREATE TABLE "memory_embeddings" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "record_id" TEXT COLLATE "C" NOT NULL,
    "model" TEXT NOT NULL,
    "vector" BYTEA NOT NULL,

    CONSTRAINT "memory_embeddings_pkey" PRIMARY KEY ("tenant_id","record_id")
);

-- CreateTable
CREATE TABLE "memory_configs" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "embeddings_enabled" BOOLEAN NOT NULL,
    "embeddings_provider" TEXT NOT NULL,
    "due_ms" BIGINT,
    "logged_ms" BIGINT NOT NULL DEFAULT 0,
    "walked_to" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "memory_configs_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE INDEX "memory_configs_due" ON "memory_configs"("due_ms");

-- AddForeignKey
ALTER TABLE "memory_embeddings" ADD CONSTRAINT "memory_embeddings_tenant_id_record_id_fkey" FOREIGN KEY ("tenant_id", "record_id") REFERENCES "memory_judgments"("tenant_id", "record_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A vector is a little too long for a row by PostgreSQL's measure, and would lie apart: thousands are
-- read at once, and each would be looked up by itself.
ALTER TABLE "memory_embeddings" ALTER COLUMN "vector" SET STORAGE MAIN;
