-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "token_revocations" INTEGER NOT NULL DEFAULT 0;
