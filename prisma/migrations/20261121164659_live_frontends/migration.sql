-- AlterTable
ALTER TABLE "presence" ADD COLUMN     "lapsed" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "events_tenant_id_id_idx" ON "events"("tenant_id", "id");
