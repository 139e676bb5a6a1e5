-- CreateTable
CREATE TABLE "key_sentinel" (
    "id" TEXT COLLATE "C" NOT NULL,
    "sealed_text" TEXT NOT NULL,

    CONSTRAINT "key_sentinel_pkey" PRIMARY KEY ("id")
);
