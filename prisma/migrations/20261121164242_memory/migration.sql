-- CreateTable
CREATE TABLE "memory_judgments" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "record_id" TEXT COLLATE "C" NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "organization_id" TEXT COLLATE "C",
    "document_id" TEXT COLLATE "C",
    "query" TEXT NOT NULL,
    "decision" TEXT NOT NULL,
    "side" SMALLINT NOT NULL,
    "reasoning" TEXT,
    "reviewer_id" TEXT COLLATE "C",
    "reviewer_name" TEXT,
    "judge_type" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "recorded_ms" BIGINT NOT NULL,
    "fingerprint" BIGINT NOT NULL,
    "terms" BIGINT[],
    "organization_terms" BIGINT[],

    CONSTRAINT "memory_judgments_pkey" PRIMARY KEY ("tenant_id","record_id")
);

-- CreateTable
CREATE TABLE "memory_terms" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "term" BIGINT NOT NULL,
    "judgments" INTEGER NOT NULL,
    "word" TEXT,
    "spellings" BIGINT[],

    CONSTRAINT "memory_terms_pkey" PRIMARY KEY ("tenant_id","term")
);

-- CreateTable
CREATE TABLE "memory_watches" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "max_alerts_per_week" INTEGER NOT NULL DEFAULT 3,
    "enabled_alert_types" TEXT[],
    "severity_threshold" SMALLINT NOT NULL DEFAULT 1,
    "due_ms" BIGINT,

    CONSTRAINT "memory_watches_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "memory_alerts" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "alert_id" TEXT COLLATE "C" NOT NULL,
    "alert_type" TEXT NOT NULL,
    "severity" SMALLINT NOT NULL,
    "subject" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "evidence" JSONB NOT NULL,
    "suggested_action" TEXT,
    "action_url" TEXT,
    "status" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "dismissed_ms" BIGINT,
    "dismissed_by" JSONB,

    CONSTRAINT "memory_alerts_pkey" PRIMARY KEY ("tenant_id","alert_id")
);

-- CreateIndex
CREATE INDEX "memory_judgments_by_time" ON "memory_judgments"("tenant_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "memory_judgments_by_organization" ON "memory_judgments"("tenant_id", "organization_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "memory_judgments_by_document" ON "memory_judgments"("tenant_id", "organization_id", "document_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "memory_judgments_by_reviewer" ON "memory_judgments"("tenant_id", "reviewer_id", "created_ms", "position");

-- CreateIndex
CREATE INDEX "memory_judgments_by_decision" ON "memory_judgments"("tenant_id", "decision", "created_ms", "position");

-- CreateIndex
CREATE INDEX "memory_judgments_by_judge_type" ON "memory_judgments"("tenant_id", "judge_type", "created_ms", "position");

-- CreateIndex
CREATE INDEX "memory_judgments_by_fingerprint" ON "memory_judgments"("tenant_id", "fingerprint", "created_ms");

-- CreateIndex
CREATE INDEX "memory_judgments_terms" ON "memory_judgments" USING GIN ("terms");

-- CreateIndex
CREATE INDEX "memory_judgments_organization_terms" ON "memory_judgments" USING GIN ("organization_terms");

-- CreateIndex
CREATE INDEX "memory_terms_spellings" ON "memory_terms" USING GIN ("spellings");

-- CreateIndex
CREATE INDEX "memory_watches_due" ON "memory_watches"("due_ms");

-- CreateIndex
CREATE INDEX "memory_alerts_by_gravity" ON "memory_alerts"("tenant_id", "status", "severity", "created_ms", "alert_id");

-- CreateIndex
CREATE INDEX "memory_alerts_by_time" ON "memory_alerts"("tenant_id", "created_ms");

-- CreateIndex
CREATE INDEX "memory_alerts_by_subject" ON "memory_alerts"("tenant_id", "alert_type", "subject", "created_ms");
