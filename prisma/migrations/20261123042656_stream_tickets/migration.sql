-- CreateTable
CREATE TABLE "used_stream_tickets" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "ticket_id" TEXT COLLATE "C" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_stream_tickets_pkey" PRIMARY KEY ("tenant_id","ticket_id")
);

-- CreateIndex
CREATE INDEX "used_stream_tickets_expires_at_idx" ON "used_stream_tickets"("expires_at");

-- AddForeignKey
ALTER TABLE "used_stream_tickets" ADD CONSTRAINT "used_stream_tickets_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
