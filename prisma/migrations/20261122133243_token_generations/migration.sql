-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "disabled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "token_generation" INTEGER NOT NULL DEFAULT 0;

-- In two steps: with a default that differs from row to row, adding the column would write the
-- whole table anew. The rows that are there keep NULL.
ALTER TABLE "users" ADD COLUMN     "token_epoch" UUID;
ALTER TABLE "users" ALTER COLUMN "token_epoch" SET DEFAULT gen_random_uuid();
