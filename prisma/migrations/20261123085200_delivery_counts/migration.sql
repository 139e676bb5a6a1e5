-- AlterTable
ALTER TABLE "process_metrics" ADD COLUMN     "deliveries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "failed_deliveries" INTEGER NOT NULL DEFAULT 0;
