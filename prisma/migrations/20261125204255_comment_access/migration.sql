-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "comment_access" TEXT NOT NULL DEFAULT 'editors';
