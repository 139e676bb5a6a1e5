-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT COLLATE "C" NOT NULL,
    "workspace_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "type" TEXT NOT NULL,
    "owner_email" TEXT NOT NULL,
    "persistence_db_region" TEXT,
    "realtime_db_region" TEXT NOT NULL,
    "allowed_domains" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "enable_private_comments" BOOLEAN NOT NULL DEFAULT false,
    "require_auto_org_user" BOOLEAN NOT NULL DEFAULT false,
    "default_document_access_type" TEXT,
    "advanced_queries" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_tokens" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "hash" BYTEA NOT NULL,
    "sealed_token" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "domains" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auth_tokens_pkey" PRIMARY KEY ("tenant_id","hash")
);

-- CreateTable
CREATE TABLE "service_settings" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "use_email_service" BOOLEAN NOT NULL DEFAULT false,
    "email_service_config" JSONB NOT NULL DEFAULT '{}',
    "sealed_email_api_key" TEXT,
    "email_triggers" JSONB NOT NULL DEFAULT '{}',
    "use_webhook_service" BOOLEAN NOT NULL DEFAULT false,
    "webhook_service_config" JSONB NOT NULL DEFAULT '{}',
    "sealed_webhook_auth_token" TEXT,
    "use_notification_service" BOOLEAN NOT NULL DEFAULT false,
    "notification_triggers" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "service_settings_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "crdt_documents" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "editor_id" TEXT COLLATE "C" NOT NULL,
    "log_id" UUID NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 0,
    "content_key" TEXT,
    "content_type" TEXT,
    "snapshot" BYTEA,
    "snapshot_version" BIGINT NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_by" TEXT,
    "event_at" TIMESTAMPTZ(3),
    "event_due_at" TIMESTAMPTZ(3),

    CONSTRAINT "crdt_documents_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id","editor_id")
);

-- CreateTable
CREATE TABLE "crdt_updates" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "log_id" UUID NOT NULL,
    "version" BIGINT NOT NULL,
    "update" BYTEA NOT NULL,
    "user_id" TEXT COLLATE "C",
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "crdt_updates_pkey" PRIMARY KEY ("tenant_id","log_id","version")
);

-- CreateTable
CREATE TABLE "documents" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "document_name" TEXT NOT NULL,
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "access_type" TEXT NOT NULL DEFAULT 'public',
    "folder_id" TEXT COLLATE "C",
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "documents_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id")
);

-- CreateTable
CREATE TABLE "event_outbox" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "organization_id" TEXT COLLATE "C",
    "document_id" TEXT COLLATE "C",
    "channels" TEXT[],
    "data" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_outbox_pkey" PRIMARY KEY ("tenant_id","position")
);

-- CreateTable
CREATE TABLE "events" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "type" TEXT NOT NULL,
    "organization_id" TEXT COLLATE "C",
    "document_id" TEXT COLLATE "C",
    "channels" TEXT[],
    "data" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("tenant_id","sequence")
);

-- CreateTable
CREATE TABLE "folders" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "folder_id" TEXT COLLATE "C" NOT NULL,
    "folder_name" TEXT,
    "parent_folder_id" TEXT COLLATE "C",
    "access_type" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "folders_pkey" PRIMARY KEY ("tenant_id","organization_id","folder_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "path" TEXT COLLATE "C" NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "sealed_answer" TEXT,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","path","key")
);

-- CreateTable
CREATE TABLE "organizations" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "organization_name" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("tenant_id","organization_id")
);

-- CreateTable
CREATE TABLE "grants" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "resource_type" TEXT NOT NULL,
    "resource_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "access_role" TEXT NOT NULL,
    "expires_at" BIGINT,
    "context" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "grants_pkey" PRIMARY KEY ("tenant_id","organization_id","resource_type","resource_id","user_id")
);

-- CreateTable
CREATE TABLE "users" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT,
    "email" TEXT,
    "initial" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("tenant_id","user_id")
);

-- CreateTable
CREATE TABLE "workspaces" (
    "id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT NOT NULL,
    "owner_email" TEXT NOT NULL,
    "owner_name" TEXT NOT NULL,
    "plan" TEXT NOT NULL DEFAULT 'free',
    "self_serve_production_keys" BOOLEAN NOT NULL DEFAULT false,
    "max_production_keys" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspaces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workspace_auth_tokens" (
    "workspace_id" TEXT COLLATE "C" NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workspace_auth_tokens_pkey" PRIMARY KEY ("workspace_id","hash")
);

-- CreateIndex
CREATE INDEX "api_keys_workspace_id_id_idx" ON "api_keys"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "crdt_documents_event_due_at_idx" ON "crdt_documents"("event_due_at");

-- CreateIndex
CREATE UNIQUE INDEX "crdt_documents_tenant_id_log_id_key" ON "crdt_documents"("tenant_id", "log_id");

-- CreateIndex
CREATE INDEX "documents_tenant_id_folder_id_organization_id_document_id_idx" ON "documents"("tenant_id", "folder_id", "organization_id", "document_id");

-- CreateIndex
CREATE INDEX "event_outbox_position_idx" ON "event_outbox"("position");

-- CreateIndex
CREATE INDEX "events_sequence_idx" ON "events"("sequence");

-- CreateIndex
CREATE INDEX "folders_tenant_id_parent_folder_id_organization_id_idx" ON "folders"("tenant_id", "parent_folder_id", "organization_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "grants_tenant_id_user_id_organization_id_idx" ON "grants"("tenant_id", "user_id", "organization_id");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auth_tokens" ADD CONSTRAINT "auth_tokens_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "service_settings" ADD CONSTRAINT "service_settings_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crdt_documents" ADD CONSTRAINT "crdt_documents_tenant_id_organization_id_document_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "document_id") REFERENCES "documents"("tenant_id", "organization_id", "document_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crdt_updates" ADD CONSTRAINT "crdt_updates_tenant_id_log_id_fkey" FOREIGN KEY ("tenant_id", "log_id") REFERENCES "crdt_documents"("tenant_id", "log_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_tenant_id_organization_id_folder_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "folder_id") REFERENCES "folders"("tenant_id", "organization_id", "folder_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "folders" ADD CONSTRAINT "folders_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "folders" ADD CONSTRAINT "folders_tenant_id_organization_id_parent_folder_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "parent_folder_id") REFERENCES "folders"("tenant_id", "organization_id", "folder_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workspace_auth_tokens" ADD CONSTRAINT "workspace_auth_tokens_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
