-- AlterTable
ALTER TABLE "service_settings" ADD COLUMN     "activity_service_config" JSONB,
ADD COLUMN     "notification_batching" JSONB,
ADD COLUMN     "notification_delay" JSONB,
ADD COLUMN     "use_advanced_webhooks" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "user_groups" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "group_id" TEXT COLLATE "C" NOT NULL,
    "group_name" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_groups_pkey" PRIMARY KEY ("tenant_id","organization_id","group_id")
);

-- CreateTable
CREATE TABLE "user_group_members" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "group_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_group_members_pkey" PRIMARY KEY ("tenant_id","organization_id","group_id","user_id")
);

-- CreateTable
CREATE TABLE "model_provider_keys" (
    "workspace_id" TEXT COLLATE "C" NOT NULL,
    "provider" TEXT NOT NULL,
    "sealed_key" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_provider_keys_pkey" PRIMARY KEY ("workspace_id","provider")
);

-- CreateIndex
CREATE INDEX "user_group_members_tenant_id_user_id_idx" ON "user_group_members"("tenant_id", "user_id");

-- AddForeignKey
ALTER TABLE "user_groups" ADD CONSTRAINT "user_groups_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_tenant_id_organization_id_group_id_fkey" FOREIGN KEY ("tenant_id", "organization_id", "group_id") REFERENCES "user_groups"("tenant_id", "organization_id", "group_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_group_members" ADD CONSTRAINT "user_group_members_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_provider_keys" ADD CONSTRAINT "model_provider_keys_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;
