-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "annotation_id" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "held_notifications" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "annotation_id" TEXT COLLATE "C" NOT NULL,
    "event_id" TEXT COLLATE "C" NOT NULL,
    "opened_ms" BIGINT NOT NULL,
    "due_ms" BIGINT NOT NULL,
    "sequences" BIGINT[],

    CONSTRAINT "held_notifications_pkey" PRIMARY KEY ("tenant_id","annotation_id","event_id")
);

-- CreateIndex
CREATE INDEX "held_notifications_due_ms_idx" ON "held_notifications"("due_ms");

-- Partial, which Prisma has no words for. What is about an annotation goes with it.
CREATE INDEX "notifications_by_annotation" ON "notifications"("tenant_id", "annotation_id") WHERE "annotation_id" IS NOT NULL;
-- What is unread of an inbox, by document.
CREATE INDEX "inboxes_unread" ON "notification_recipients"("tenant_id", "user_id", "organization_id", "document_id") WHERE "read_ms" IS NULL;

-- The document before the organization, so that no index begins like the primary key.
DROP INDEX "notifications_by_document";
DROP INDEX "notifications_by_location";
DROP INDEX "notification_preferences_tenant_id_organization_id_document_idx";
CREATE INDEX "notifications_by_document" ON "notifications"("tenant_id", "document_id", "organization_id", "created_ms", "position");
CREATE INDEX "notifications_by_location" ON "notifications"("tenant_id", "document_id", "organization_id", "location_hash", "created_ms", "position");
CREATE INDEX "notification_preferences_tenant_id_document_id_organization_idx" ON "notification_preferences"("tenant_id", "document_id", "organization_id");
