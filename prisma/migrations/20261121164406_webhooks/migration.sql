-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "filter_types" TEXT[],
    "channels" TEXT[],
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "rate_limit" INTEGER,
    "uid" TEXT,
    "metadata" JSON,
    "sealed_secret" TEXT NOT NULL,
    "sealed_previous_secrets" TEXT,
    "start_sequence" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "webhook_queues" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "endpoint_id" TEXT COLLATE "C" NOT NULL,
    "next_at" TIMESTAMPTZ(3),
    "version" BIGINT NOT NULL DEFAULT 0,
    "owner" TEXT,
    "last_due_at" TIMESTAMPTZ(3),
    "tokens" DOUBLE PRECISION,
    "tokens_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_queues_pkey" PRIMARY KEY ("tenant_id","endpoint_id")
);

-- CreateTable
CREATE TABLE "webhook_workers" (
    "id" TEXT COLLATE "C" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "endpoint_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" TEXT COLLATE "C" NOT NULL,
    "event_type" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "due_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("tenant_id","endpoint_id","created_at","sequence")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "endpoint_id" TEXT COLLATE "C" NOT NULL,
    "sequence" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status_code" INTEGER,
    "latency_ms" INTEGER NOT NULL,
    "error" TEXT,
    "excerpt" TEXT,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("tenant_id","endpoint_id","sequence","number")
);

-- CreateTable
CREATE TABLE "event_retention" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "removed_through" BIGINT NOT NULL,

    CONSTRAINT "event_retention_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE INDEX "webhook_endpoints_tenant_id_position_idx" ON "webhook_endpoints"("tenant_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_endpoints_tenant_id_uid_key" ON "webhook_endpoints"("tenant_id", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_by_type" ON "webhook_deliveries"("tenant_id", "event_type", "endpoint_id", "created_at", "sequence");

-- What nobody sends for yet, soonest first, and what each worker holds.
CREATE INDEX "webhook_queues_due" ON "webhook_queues"("next_at")
    WHERE "owner" IS NULL AND "next_at" IS NOT NULL;
CREATE INDEX "webhook_queues_owned" ON "webhook_queues"("owner") WHERE "owner" IS NOT NULL;

-- What an endpoint is to be sent, in that order.
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries"("tenant_id", "endpoint_id", "due_at", "sequence")
    WHERE "status" = 'pending';

-- The few that were not delivered yet, or not at all, for lists.
CREATE INDEX "webhook_deliveries_open" ON "webhook_deliveries"("tenant_id", "status", "endpoint_id", "created_at", "sequence")
    WHERE "status" <> 'delivered';
