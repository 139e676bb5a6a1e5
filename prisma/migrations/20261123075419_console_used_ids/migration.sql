-- CreateTable
CREATE TABLE "console_used_ids" (
    "id" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "console_used_ids_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "console_used_ids_expires_at_idx" ON "console_used_ids"("expires_at");
