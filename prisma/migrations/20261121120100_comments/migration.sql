-- CreateTable
CREATE TABLE "comment_annotations" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "annotation_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "folder_id" TEXT COLLATE "C",
    "annotation_number" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "author_id" TEXT COLLATE "C" NOT NULL,
    "from_user" JSONB NOT NULL,
    "status_id" TEXT COLLATE "C" NOT NULL,
    "status" JSONB NOT NULL,
    "resolved_by" TEXT COLLATE "C",
    "location_key" TEXT COLLATE "C",
    "agent_id" TEXT COLLATE "C",
    "execution_id" TEXT COLLATE "C",
    "agent_type" TEXT COLLATE "C",
    "agent_source" TEXT COLLATE "C",
    "agent_kind" TEXT COLLATE "C",
    "visibility" JSONB NOT NULL,
    "access" JSONB,
    "fields" JSONB NOT NULL DEFAULT '{}',
    "next_comment_id" BIGINT NOT NULL DEFAULT 1,
    "created_at" BIGINT NOT NULL,
    "last_updated" BIGINT NOT NULL,
    "last_comment_at" BIGINT NOT NULL,
    "last_comment_by" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "comment_annotations_pkey" PRIMARY KEY ("tenant_id","annotation_id")
);

-- CreateTable
CREATE TABLE "annotation_counters" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "last_number" INTEGER NOT NULL,

    CONSTRAINT "annotation_counters_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id")
);

-- CreateTable
CREATE TABLE "comments" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "annotation_id" TEXT COLLATE "C" NOT NULL,
    "comment_id" BIGINT NOT NULL,
    "author_id" TEXT COLLATE "C" NOT NULL,
    "from_user" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'added',
    "content" JSONB NOT NULL,
    "created_at" BIGINT NOT NULL,
    "last_updated" BIGINT NOT NULL,

    CONSTRAINT "comments_pkey" PRIMARY KEY ("tenant_id","annotation_id","comment_id")
);

-- CreateTable
CREATE TABLE "annotation_users" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "annotation_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "user" JSONB NOT NULL,
    "subscription" TEXT,
    "mentioned" BOOLEAN NOT NULL DEFAULT false,
    "read_at" BIGINT,
    "last_updated" BIGINT NOT NULL,

    CONSTRAINT "annotation_users_pkey" PRIMARY KEY ("tenant_id","annotation_id","user_id")
);

-- CreateTable
CREATE TABLE "comment_reactions" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "annotation_id" TEXT COLLATE "C" NOT NULL,
    "comment_id" BIGINT NOT NULL,
    "icon" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "reaction_id" TEXT COLLATE "C" NOT NULL,
    "user" JSONB NOT NULL,
    "last_updated" BIGINT NOT NULL,

    CONSTRAINT "comment_reactions_pkey" PRIMARY KEY ("tenant_id","annotation_id","comment_id","icon","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "comment_annotations_tenant_id_organization_id_document_id_a_key" ON "comment_annotations"("tenant_id", "organization_id", "document_id", "annotation_number");

-- CreateIndex
CREATE INDEX "comments_tenant_id_author_id_created_at_annotation_id_comme_idx" ON "comments"("tenant_id", "author_id", "created_at", "annotation_id", "comment_id");

-- CreateIndex
CREATE INDEX "comment_reactions_tenant_id_user_id_last_updated_annotation_idx" ON "comment_reactions"("tenant_id", "user_id", "last_updated", "annotation_id");

-- CreateIndex
CREATE INDEX "comment_annotations_by_key" ON "comment_annotations"("tenant_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_organization" ON "comment_annotations"("tenant_id", "organization_id", "last_updated", "annotation_id");

-- Each filter of 4.5, in a whole key and in one organization, in the order in which pages are read.
-- Partial where most annotations have no value, which Prisma has no words for.
CREATE INDEX "comment_annotations_by_document_in_key" ON "comment_annotations"("tenant_id", "document_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_document" ON "comment_annotations"("tenant_id", "organization_id", "document_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_folder_in_key" ON "comment_annotations"("tenant_id", "folder_id", "last_updated", "annotation_id") WHERE "folder_id" IS NOT NULL;
CREATE INDEX "comment_annotations_by_folder" ON "comment_annotations"("tenant_id", "organization_id", "folder_id", "last_updated", "annotation_id") WHERE "folder_id" IS NOT NULL;
CREATE INDEX "comment_annotations_by_author_in_key" ON "comment_annotations"("tenant_id", "author_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_author" ON "comment_annotations"("tenant_id", "organization_id", "author_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_status_in_key" ON "comment_annotations"("tenant_id", "status_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_status" ON "comment_annotations"("tenant_id", "organization_id", "status_id", "last_updated", "annotation_id");
CREATE INDEX "comment_annotations_by_location_in_key" ON "comment_annotations"("tenant_id", "location_key", "last_updated", "annotation_id") WHERE "location_key" IS NOT NULL;
CREATE INDEX "comment_annotations_by_location" ON "comment_annotations"("tenant_id", "organization_id", "location_key", "last_updated", "annotation_id") WHERE "location_key" IS NOT NULL;
CREATE INDEX "comment_annotations_by_resolved_by_in_key" ON "comment_annotations"("tenant_id", "resolved_by", "last_updated", "annotation_id") WHERE "resolved_by" IS NOT NULL;
CREATE INDEX "comment_annotations_by_resolved_by" ON "comment_annotations"("tenant_id", "organization_id", "resolved_by", "last_updated", "annotation_id") WHERE "resolved_by" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_in_key" ON "comment_annotations"("tenant_id", "agent_id", "last_updated", "annotation_id") WHERE "agent_id" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent" ON "comment_annotations"("tenant_id", "organization_id", "agent_id", "last_updated", "annotation_id") WHERE "agent_id" IS NOT NULL;
CREATE INDEX "comment_annotations_by_execution_in_key" ON "comment_annotations"("tenant_id", "execution_id", "last_updated", "annotation_id") WHERE "execution_id" IS NOT NULL;
CREATE INDEX "comment_annotations_by_execution" ON "comment_annotations"("tenant_id", "organization_id", "execution_id", "last_updated", "annotation_id") WHERE "execution_id" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_type_in_key" ON "comment_annotations"("tenant_id", "agent_type", "last_updated", "annotation_id") WHERE "agent_type" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_type" ON "comment_annotations"("tenant_id", "organization_id", "agent_type", "last_updated", "annotation_id") WHERE "agent_type" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_source_in_key" ON "comment_annotations"("tenant_id", "agent_source", "last_updated", "annotation_id") WHERE "agent_source" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_source" ON "comment_annotations"("tenant_id", "organization_id", "agent_source", "last_updated", "annotation_id") WHERE "agent_source" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_kind_in_key" ON "comment_annotations"("tenant_id", "agent_kind", "last_updated", "annotation_id") WHERE "agent_kind" IS NOT NULL;
CREATE INDEX "comment_annotations_by_agent_kind" ON "comment_annotations"("tenant_id", "organization_id", "agent_kind", "last_updated", "annotation_id") WHERE "agent_kind" IS NOT NULL;
CREATE INDEX "annotation_users_by_mention_in_key" ON "annotation_users"("tenant_id", "user_id", "last_updated", "annotation_id") WHERE "mentioned";
-- Everything of a user in an organization (specification 4.16).
CREATE INDEX "annotation_users_by_user" ON "annotation_users"("tenant_id", "organization_id", "user_id", "annotation_id");
CREATE INDEX "annotation_users_by_mention" ON "annotation_users"("tenant_id", "organization_id", "user_id", "last_updated", "annotation_id") WHERE "mentioned";

-- AddForeignKey
ALTER TABLE "comment_annotations" ADD CONSTRAINT "comment_annotations_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation_counters" ADD CONSTRAINT "annotation_counters_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comments" ADD CONSTRAINT "comments_tenant_id_annotation_id_fkey" FOREIGN KEY ("tenant_id", "annotation_id") REFERENCES "comment_annotations"("tenant_id", "annotation_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "annotation_users" ADD CONSTRAINT "annotation_users_tenant_id_annotation_id_fkey" FOREIGN KEY ("tenant_id", "annotation_id") REFERENCES "comment_annotations"("tenant_id", "annotation_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "comment_reactions" ADD CONSTRAINT "comment_reactions_tenant_id_annotation_id_comment_id_fkey" FOREIGN KEY ("tenant_id", "annotation_id", "comment_id") REFERENCES "comments"("tenant_id", "annotation_id", "comment_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A document that moves takes the folder of its annotations along, whoever moves it.
CREATE FUNCTION "move_comment_annotations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "comment_annotations" SET "folder_id" = NEW."folder_id"
  WHERE "tenant_id" = NEW."tenant_id" AND "organization_id" = NEW."organization_id"
    AND "document_id" = NEW."document_id";
  RETURN NULL;
END
$$;

CREATE TRIGGER "documents_move_comment_annotations" AFTER UPDATE OF "folder_id" ON "documents"
  FOR EACH ROW WHEN (OLD."folder_id" IS DISTINCT FROM NEW."folder_id")
  EXECUTE FUNCTION "move_comment_annotations"();
