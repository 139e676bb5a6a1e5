-- A table anew, for the order of its columns: when a row takes one more update, what changes stands
-- together, between what is the same before it and the updates that were there behind it. PostgreSQL
-- then writes no more than that to its log. And pages are left mostly free, so that the new copy of a
-- row has room beside the old one, and the index needs no new entry.
CREATE TABLE "crdt_updates_anew" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "log_id" UUID NOT NULL,
    "first_version" BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "user_id" TEXT COLLATE "C",
    "updates" BYTEA NOT NULL,

    CONSTRAINT "crdt_updates_anew_pkey" PRIMARY KEY ("tenant_id","log_id","first_version")
) WITH (fillfactor = 10);

-- Of each update its length first, in four bytes.
INSERT INTO "crdt_updates_anew"
SELECT "tenant_id", "log_id", "version", "version", "created_at", "user_id",
       int4send(octet_length("update")) || "update"
FROM "crdt_updates";

-- DropTable
DROP TABLE "crdt_updates";

-- AlterTable
ALTER TABLE "crdt_updates_anew" RENAME TO "crdt_updates";
ALTER TABLE "crdt_updates" RENAME CONSTRAINT "crdt_updates_anew_pkey" TO "crdt_updates_pkey";

-- AddForeignKey
ALTER TABLE "crdt_updates" ADD CONSTRAINT "crdt_updates_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE CASCADE;
