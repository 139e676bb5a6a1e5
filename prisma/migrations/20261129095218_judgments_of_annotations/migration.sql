-- AlterTable
ALTER TABLE "memory_judgments" ADD COLUMN     "annotation_id" TEXT COLLATE "C";

-- CreateIndex
CREATE INDEX "memory_judgments_by_annotation" ON "memory_judgments"("tenant_id", "annotation_id");
