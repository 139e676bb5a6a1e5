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
-- over, however many have the same words.
CREATE INDEX "memory_spellings_trigrams" ON "memory_spellings" USING GIN ((ARRAY["tenant_id"]), "ascii" gin_trgm_ops);
