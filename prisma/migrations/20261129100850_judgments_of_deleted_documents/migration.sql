-- AlterTable
ALTER TABLE "memory_judgments" ADD COLUMN     "document_deleted_ms" BIGINT;
