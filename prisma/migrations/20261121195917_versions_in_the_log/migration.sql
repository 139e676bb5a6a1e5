-- AlterTable
ALTER TABLE "crdt_documents" DROP COLUMN "version";
