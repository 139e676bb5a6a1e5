-- AlterTable
ALTER TABLE "folders" ADD COLUMN     "is_being_deleted" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "is_being_deleted" BOOLEAN NOT NULL DEFAULT false;
