-- Of an ordinary owner too: PostgreSQL trusts this extension. A server without it is refused at the
-- start.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- DropIndex
DROP INDEX "memory_terms_spellings";

-- AlterTable
ALTER TABLE "memory_terms" DROP COLUMN "spellings",
DROP COLUMN "word";

-- CreateTable. It fills with the judgments to come: how words were written before is not known.
CREATE TABLE "memory_spellings" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "written" TEXT COLLATE "C" NOT NULL,
    "ascii" TEXT COLLATE "C" NOT NULL,
    "term" BIGINT NOT NULL,
    "judgments" INTEGER NOT NULL,

    CONSTRAINT "memory_spellings_pkey" PRIMARY KEY ("tenant_id","written")
);

-- CreateIndex. An array of one, because GIN takes no plain text: entries of other tenants are passed
-- over, however many have the same words. New spellings are few, and need not wait in a list that
-- every search would read.
CREATE INDEX "memory_spellings_trigrams" ON "memory_spellings"
    USING GIN ((ARRAY["tenant_id"]), "ascii" gin_trgm_ops) WITH (fastupdate = off);

-- The list in which new judgments wait is read by every search, once for each group of words.
ALTER INDEX "memory_judgments_terms" SET (gin_pending_list_limit = 256);
ALTER INDEX "memory_judgments_organization_terms" SET (gin_pending_list_limit = 256);
