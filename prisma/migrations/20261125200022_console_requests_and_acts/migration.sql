-- AlterTable
ALTER TABLE "activity_chains" ADD COLUMN     "broken_at" BIGINT,
ADD COLUMN     "verified_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "logged_requests" (
    "id" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "operation" TEXT NOT NULL,
    "api_key" TEXT,
    "status" INTEGER NOT NULL,
    "duration_ms" DOUBLE PRECISION NOT NULL,
    "statements" INTEGER NOT NULL,

    CONSTRAINT "logged_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "console_acts" (
    "id" TEXT COLLATE "C" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "person" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "workspace_id" TEXT COLLATE "C",
    "api_key" TEXT,
    "subject" JSONB NOT NULL,
    "request_id" TEXT COLLATE "C" NOT NULL,
    "status" INTEGER,

    CONSTRAINT "console_acts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "logged_requests_at_id_idx" ON "logged_requests"("at", "id");

-- CreateIndex
CREATE INDEX "logged_requests_api_key_at_id_idx" ON "logged_requests"("api_key", "at", "id");

-- CreateIndex
CREATE INDEX "logged_requests_operation_at_id_idx" ON "logged_requests"("operation", "at", "id");

-- CreateIndex
CREATE INDEX "console_acts_at_id_idx" ON "console_acts"("at", "id");

-- CreateIndex
CREATE INDEX "console_acts_api_key_at_id_idx" ON "console_acts"("api_key", "at", "id");

-- CreateIndex
CREATE INDEX "console_acts_workspace_id_at_id_idx" ON "console_acts"("workspace_id", "at", "id");

-- CreateIndex
CREATE INDEX "activity_chains_verified_at_idx" ON "activity_chains"("verified_at");

-- CreateIndex
CREATE INDEX "activity_chains_broken_at_idx" ON "activity_chains"("broken_at");
