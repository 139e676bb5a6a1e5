-- CreateTable
CREATE TABLE "memory_spellings_refills" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "recorded_ms" BIGINT NOT NULL,
    "walked_to" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "memory_spellings_refills_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "schema_requirements" (
    "migration" TEXT NOT NULL,

    CONSTRAINT "schema_requirements_pkey" PRIMARY KEY ("migration")
);

-- Judgments from before the migration memory_trigrams have no spellings. They are counted in steps
-- by a periodic task. No table of an earlier version is read as a whole in an empty database.
INSERT INTO "memory_spellings_refills" ("tenant_id", "recorded_ms")
SELECT "tenant_id", "until"
FROM (SELECT (extract(epoch FROM "finished_at") * 1000)::bigint AS "until"
      FROM "_prisma_migrations"
      WHERE "migration_name" = '20261121195419_memory_trigrams' AND "finished_at" IS NOT NULL) AS "trigrams"
JOIN "memory_judgments" ON "recorded_ms" < "until"
GROUP BY "tenant_id", "until";
