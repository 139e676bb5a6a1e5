-- AlterTable
ALTER TABLE "memory_judgments" ADD COLUMN     "annotation_id" TEXT COLLATE "C";
