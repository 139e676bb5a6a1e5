-- CreateTable
CREATE TABLE "activities" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "position" BIGINT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C",
    "feature_type" TEXT NOT NULL,
    "action_type" TEXT NOT NULL,
    "user_id" TEXT COLLATE "C",
    "content" JSON NOT NULL,
    "is_immutable" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "previous_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "activities_pkey" PRIMARY KEY ("tenant_id","organization_id","position")
);

-- CreateTable
CREATE TABLE "activity_chains" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "length" BIGINT NOT NULL DEFAULT 0,
    "hash" TEXT NOT NULL,

    CONSTRAINT "activity_chains_pkey" PRIMARY KEY ("tenant_id","organization_id")
);

-- CreateTable
CREATE TABLE "event_readers" (
    "name" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "event_readers_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE UNIQUE INDEX "activities_tenant_id_organization_id_id_key" ON "activities"("tenant_id", "organization_id", "id");

-- CreateIndex
CREATE INDEX "activities_tenant_id_organization_id_document_id_position_idx" ON "activities"("tenant_id", "organization_id", "document_id", "position");

-- CreateIndex
CREATE INDEX "activities_tenant_id_organization_id_user_id_position_idx" ON "activities"("tenant_id", "organization_id", "user_id", "position");

-- CreateIndex
CREATE INDEX "activities_tenant_id_organization_id_feature_type_position_idx" ON "activities"("tenant_id", "organization_id", "feature_type", "position");

-- CreateIndex
CREATE INDEX "activities_tenant_id_organization_id_action_type_position_idx" ON "activities"("tenant_id", "organization_id", "action_type", "position");

-- AddForeignKey
ALTER TABLE "activities" ADD CONSTRAINT "activities_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "activity_chains" ADD CONSTRAINT "activity_chains_tenant_id_organization_id_fkey" FOREIGN KEY ("tenant_id", "organization_id") REFERENCES "organizations"("tenant_id", "organization_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Immutable records are not changed, and go with their whole organization only: then the cascade
-- finds that the organization is no more.
CREATE FUNCTION "refuse_change_of_activity"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND NOT EXISTS (
        SELECT 1 FROM "organizations"
        WHERE "tenant_id" = OLD."tenant_id" AND "organization_id" = OLD."organization_id"
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'An immutable activity record can be neither changed nor deleted.'
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "activities_immutable" BEFORE UPDATE OR DELETE ON "activities"
    FOR EACH ROW WHEN (OLD."is_immutable") EXECUTE FUNCTION "refuse_change_of_activity"();
