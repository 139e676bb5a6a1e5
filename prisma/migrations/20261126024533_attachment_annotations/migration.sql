-- AlterTable
ALTER TABLE "attachments" ADD COLUMN     "annotation_ids" TEXT[] DEFAULT '{}';
