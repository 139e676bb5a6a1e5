-- DropIndex
DROP INDEX "recordings_by_author";

-- AlterTable
ALTER TABLE "activities" ADD COLUMN     "content_hash" TEXT,
ADD COLUMN     "content_salt" TEXT,
ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "erasures" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "job_id" TEXT COLLATE "C" NOT NULL,
    "people" JSONB,
    "request_hash" TEXT,
    "organization_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "tasks_count" INTEGER NOT NULL,
    "tasks_left" TEXT[],
    "cursor" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "receipt" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_task_completed_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("tenant_id","job_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "erasures_tenant_id_request_hash_key" ON "erasures"("tenant_id", "request_hash");

-- CreateIndex
CREATE INDEX "recordings_by_author" ON "recordings"("tenant_id", "author_id", "organization_id", "position");

-- The user before the organization: one index for what is of somebody in an organization (4.16) and
-- in the whole key (erasure), at the price of one.
DROP INDEX "annotation_users_by_user";
CREATE INDEX "annotation_users_by_user" ON "annotation_users"("tenant_id", "user_id", "organization_id", "annotation_id");

-- Immutable records still change in one way only: erasing a person takes the content, with its salt,
-- and leaves the hashes. Who erases says so in the transaction, so that no other statement does it
-- by mistake, and the record says that it was erased.
CREATE OR REPLACE FUNCTION "refuse_change_of_activity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT 1 FROM "organizations"
        WHERE "tenant_id" = OLD."tenant_id" AND "organization_id" = OLD."organization_id"
    ) THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' AND current_setting('activities.erasing', true) = 'on' THEN
        IF NEW."erased_at" IS NOT NULL AND NEW."content_salt" IS NULL
            AND to_jsonb(NEW) - ARRAY['user_id', 'content', 'content_salt', 'erased_at']
              = to_jsonb(OLD) - ARRAY['user_id', 'content', 'content_salt', 'erased_at']
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'An immutable activity record can be neither changed nor deleted.'
        USING ERRCODE = 'restrict_violation';
END
$$;
