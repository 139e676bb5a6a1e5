-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "allow_user_rewrites" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "default_access_role" TEXT NOT NULL DEFAULT 'editor';
