-- CreateTable
CREATE TABLE "notifications" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "notification_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "location_id" TEXT,
    "location_hash" TEXT COLLATE "C",
    "created_ms" BIGINT NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "source" TEXT NOT NULL,
    "access" JSONB,
    "content" JSONB NOT NULL,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("tenant_id","organization_id","notification_id")
);

-- CreateTable
CREATE TABLE "notification_recipients" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "notification_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "location_hash" TEXT COLLATE "C",
    "created_ms" BIGINT NOT NULL,
    "position" BIGINT NOT NULL,
    "read_ms" BIGINT,

    CONSTRAINT "notification_recipients_pkey" PRIMARY KEY ("tenant_id","organization_id","notification_id","user_id")
);

-- CreateTable
CREATE TABLE "notification_preferences" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "inbox" TEXT,
    "email" TEXT,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("tenant_id","organization_id","user_id","document_id")
);

-- CreateIndex
CREATE INDEX "notifications_by_document" ON "notifications"("tenant_id", "organization_id", "document_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "notifications_by_location" ON "notifications"("tenant_id", "organization_id", "document_id", "location_hash", "created_ms", "position");

-- CreateIndex
CREATE INDEX "inboxes_by_user" ON "notification_recipients"("tenant_id", "user_id", "organization_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "inboxes_by_document" ON "notification_recipients"("tenant_id", "user_id", "organization_id", "document_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "inboxes_by_location" ON "notification_recipients"("tenant_id", "user_id", "organization_id", "location_hash", "created_ms", "position");

-- CreateIndex
CREATE INDEX "inboxes_by_document_and_location" ON "notification_recipients"("tenant_id", "user_id", "organization_id", "document_id", "location_hash", "created_ms", "position");

-- CreateIndex
CREATE INDEX "notification_preferences_tenant_id_organization_id_document_idx" ON "notification_preferences"("tenant_id", "organization_id", "document_id");

-- CreateIndex
CREATE INDEX "notification_preferences_tenant_id_user_id_idx" ON "notification_preferences"("tenant_id", "user_id");

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_recipients" ADD CONSTRAINT "notification_recipients_tenant_id_organization_id_notifica_fkey" FOREIGN KEY ("tenant_id", "organization_id", "notification_id") REFERENCES "notifications"("tenant_id", "organization_id", "notification_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_recipients" ADD CONSTRAINT "notification_recipients_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;
