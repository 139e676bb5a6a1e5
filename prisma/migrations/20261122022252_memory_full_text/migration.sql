-- A word's key was a 64-bit number; as a lexeme, it is the same number in base64url.
CREATE FUNCTION pg_temp.lexeme(key BIGINT) RETURNS TEXT LANGUAGE sql IMMUTABLE
RETURN translate(rtrim(encode(int8send(key), 'base64'), '='), '+/', '-_');

CREATE FUNCTION pg_temp.vector(keys BIGINT[]) RETURNS TSVECTOR LANGUAGE sql IMMUTABLE
RETURN array_to_tsvector(ARRAY(SELECT pg_temp.lexeme(key) FROM unnest(keys) AS each(key)));

-- DropIndex
DROP INDEX "memory_judgments_terms";
DROP INDEX "memory_judgments_organization_terms";

-- AlterTable
ALTER TABLE "memory_judgments"
ALTER COLUMN "terms" TYPE TSVECTOR USING pg_temp.vector("terms"),
ALTER COLUMN "terms" SET NOT NULL,
ALTER COLUMN "organization_terms" TYPE TSVECTOR USING pg_temp.vector("organization_terms"),
ALTER COLUMN "organization_terms" SET NOT NULL;

-- AlterTable
ALTER TABLE "memory_terms"
ALTER COLUMN "term" TYPE TEXT COLLATE "C" USING pg_temp.lexeme("term");

-- AlterTable
ALTER TABLE "memory_spellings"
ALTER COLUMN "term" TYPE TEXT COLLATE "C" USING pg_temp.lexeme("term");

-- CreateIndex. The list in which new judgments wait is read by every search.
CREATE INDEX "memory_judgments_terms" ON "memory_judgments"
    USING GIN ("terms") WITH (gin_pending_list_limit = 256);

-- CreateIndex
CREATE INDEX "memory_judgments_organization_terms" ON "memory_judgments"
    USING GIN ("organization_terms") WITH (gin_pending_list_limit = 256);
