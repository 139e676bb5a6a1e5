-- CreateTable
CREATE TABLE "mails" (
    "tenant_id" TEXT COLLATE "C" NOT NULL,
    "event_sequence" BIGINT NOT NULL,
    "user_id" TEXT COLLATE "C" NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mails_pkey" PRIMARY KEY ("tenant_id","event_sequence","user_id")
);

-- CreateIndex
CREATE INDEX "mails_tenant_id_user_id_idx" ON "mails"("tenant_id", "user_id");

-- CreateIndex
CREATE INDEX "mails_due_at_idx" ON "mails"("due_at");

-- AddForeignKey
ALTER TABLE "mails" ADD CONSTRAINT "mails_tenant_id_user_id_fkey" FOREIGN KEY ("tenant_id", "user_id") REFERENCES "users"("tenant_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is to be sent, tenant by tenant: one that has much waiting does not stand before others.
CREATE INDEX "mails_waiting" ON "mails"("tenant_id", "due_at") WHERE "state" = 'waiting';
