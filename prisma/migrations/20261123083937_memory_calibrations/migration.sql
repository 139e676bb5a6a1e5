-- CreateTable
CREATE TABLE "memory_calibrations" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 0,
    "slope" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "examples" INTEGER NOT NULL DEFAULT 0,
    "fitted_ms" BIGINT NOT NULL DEFAULT 0,
    "due_ms" BIGINT,

    CONSTRAINT "memory_calibrations_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE INDEX "memory_calibrations_due" ON "memory_calibrations"("due_ms");
