-- AlterTable
ALTER TABLE "documents" ADD COLUMN     "comment_access" TEXT;
