-- CreateTable
CREATE TABLE "presence" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "name" TEXT,
    "email" TEXT,
    "status" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "presence_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id","user_id")
);

-- CreateTable
CREATE TABLE "presence_connections" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "organization_id" TEXT COLLATE "C" NOT NULL,
    "document_id" TEXT COLLATE "C" NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "process_id" TEXT COLLATE "C" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "presence_connections_pkey" PRIMARY KEY ("tenant_id","organization_id","document_id","user_id","process_id")
);

-- CreateIndex
CREATE INDEX "presence_seen_at_idx" ON "presence"("seen_at");

-- CreateIndex
CREATE INDEX "presence_connections_seen_at_idx" ON "presence_connections"("seen_at");
