-- Whether people are still connected is said by one row of their process, and not by each of theirs.
-- Who is connected now says so again.
DELETE FROM "presence_connections";

DROP INDEX "presence_connections_seen_at_idx";

ALTER TABLE "presence_connections" DROP COLUMN "seen_at";

CREATE INDEX "presence_connections_process_id_idx" ON "presence_connections"("process_id");

CREATE TABLE "presence_processes" (
    "id" TEXT COLLATE "C" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "is_dead" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "presence_processes_pkey" PRIMARY KEY ("id")
);
