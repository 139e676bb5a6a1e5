-- AlterTable
ALTER TABLE "erasures" ADD COLUMN     "contents" TEXT NOT NULL DEFAULT 'keep';
