-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "owner" TEXT;
